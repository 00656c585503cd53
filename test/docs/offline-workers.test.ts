/** The Service Workers that the documents recommend, run with caches and a network that misbehave. */
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { codeBlocks, root } from './support/code-blocks.js';

const ORIGIN = 'https://app.test';
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const printed = codeBlocks().find(({ page, file }) => page === 'demo/docs/model-files.md' && file === 'sw.js')!.code;
const keeping: [string, string][] = [
  ['model-files.md', printed],
  ['the offline example', read('demo/examples/pwa-offline/public/sw.js')],
];
const all: [string, string][] = [...keeping, ['the demo', read('public/sw.js')]];

type Listener = (event: Record<string, unknown>) => void;

/** @param files of the server, by path */
function runWorker(script: string, files: Record<string, [type: string, text: string]>, isFull = false) {
  const listeners = new Map<string, Listener>();
  const kept = new Map<string, Response>();
  const urlOf = (request: Request | string): string => (typeof request === 'string' ? request : request.url);
  const cache = {
    put: async (request: Request | string, response: Response) => {
      if (isFull) throw new DOMException('Quota exceeded.', 'QuotaExceededError');
      kept.set(urlOf(request), response);
    },
  };
  const scope = {
    URL,
    Set,
    location: new URL('/sw.js', ORIGIN),
    console: { warn: () => {} },
    importScripts: () => {},
    addEventListener: (name: string, listener: Listener) => listeners.set(name, listener),
    clients: { matchAll: async () => [{ url: `${ORIGIN}/#here` }] },
    caches: { open: async () => cache, match: async (request: Request) => kept.get(request.url) },
    fetch: async (request: Request | string) => {
      const file = files[new URL(urlOf(request)).pathname];
      if (!file) throw new TypeError('Failed to fetch');
      return new Response(file[1], { headers: { 'content-type': file[0] } });
    },
  };
  runInNewContext(script, Object.assign(scope, { self: scope }));
  /** Dispatches an event, and waits for what it holds the worker for. */
  const dispatch = async (name: string, event: Record<string, unknown> = {}): Promise<Response | undefined> => {
    const work: Promise<unknown>[] = [];
    let answer: Promise<Response> | undefined;
    const waitUntil = (promise: Promise<unknown>) => work.push(promise);
    const respondWith = (promise: Promise<Response>) => (answer = promise);
    listeners.get(name)?.({ ...event, waitUntil, respondWith });
    const response = await answer;
    await Promise.all(work);
    return response;
  };
  const ask = (path: string) => dispatch('fetch', { request: new Request(`${ORIGIN}${path}`) });
  return { dispatch, ask, kept };
}

describe.each(all)('the Service Worker of %s', (_, script) => {
  it('answers with the file where the disk is full', async () => {
    const { ask } = runWorker(script, { '/app.js': ['text/javascript', 'app'] }, true);
    expect(await (await ask('/app.js'))?.text()).toBe('app');
  });

  it('answers from its copy where the network is down', async () => {
    const files: Record<string, [string, string]> = { '/app.js': ['text/javascript', 'app'] };
    const { ask } = runWorker(script, files);
    await ask('/app.js');
    delete files['/app.js'];
    expect(await (await ask('/app.js'))?.text()).toBe('app');
    await expect(ask('/other.js')).rejects.toThrow('Failed to fetch');
  });
});

describe.each(keeping)('when it takes over, the Service Worker of %s', (_, script) => {
  const files: Record<string, [string, string]> = {
    '/': ['text/html', '<link rel="stylesheet" href="/app.css"><script type="module" src="./app.js"></script>'],
    '/app.css': ['text/css', '@import "./parts.css";'],
    '/parts.css': ['text/css', ''],
    '/app.js': ['text/javascript', 'import "./lib/part.js"; import("https://else.test/far.js")'],
    '/lib/part.js': ['text/javascript', ''],
    '/picture.svg': ['image/svg+xml', '<svg/>'],
  };

  it('keeps the files of the page that came before it', async () => {
    const { dispatch, kept } = runWorker(script, files);
    await dispatch('activate');
    const paths = [...kept.keys()].map((url) => url.replace(ORIGIN, ''));
    expect(paths).toEqual(['/', '/app.css', '/app.js', '/parts.css', '/lib/part.js']);
  });

  it('keeps what the page names, and says when it has', async () => {
    const { dispatch, kept } = runWorker(script, files);
    const said: string[] = [];
    const port = { postMessage: (text: string) => said.push(text) };
    const keep = [`${ORIGIN}/picture.svg`, `${ORIGIN}/gone.svg`, 'https://else.test/far.js'];
    await dispatch('message', { data: { keep }, ports: [port] });
    expect([...kept.keys()]).toEqual([`${ORIGIN}/picture.svg`]);
    expect(said).toEqual(['kept']);
  });
});
