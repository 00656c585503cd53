/** What is said of a worker that did not start, by what its server answers. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { explainWorkerFailure, refreshScript } from '../../src/page/explain-worker-failure.js';

const URL_OF_SCRIPT = 'https://app.example/assets/model-worker.js';
const make = (): Worker => new Worker(URL_OF_SCRIPT, { type: 'module' });

const ISOLATING = { 'cross-origin-embedder-policy': 'require-corp' };
const SCRIPT = { 'content-type': 'text/javascript' };

/** The headers that come with a script, by how it is asked for; undefined: nobody answers. */
type Answers = Partial<Record<RequestCache, Record<string, string>>> | undefined;

function serve(answers: Answers, status = 200): RequestCache[] {
  const asked: RequestCache[] = [];
  vi.stubGlobal('fetch', async (url: string, { cache = 'default' }: RequestInit = {}) => {
    expect(url).toBe(URL_OF_SCRIPT);
    asked.push(cache);
    if (!answers) throw new TypeError('Failed to fetch');
    return new Response('', { status, headers: answers[cache] ?? {} });
  });
  return asked;
}

const explained = async (failure: { message?: string; blocked?: string } = {}) =>
  explainWorkerFailure({ make, message: failure.message, blocked: failure.blocked });

beforeEach(() => {
  vi.stubGlobal('document', { baseURI: 'https://app.example/' });
  vi.stubGlobal('Worker', EventTarget);
  vi.stubGlobal('crossOriginIsolated', true);
});
afterEach(() => void vi.unstubAllGlobals());

it('a server that leaves the headers out of its 304 is told so, and what to do', async () => {
  serve({ 'no-store': { ...SCRIPT, ...ISOLATING }, 'no-cache': SCRIPT });
  const { code, message, details } = await explained();
  expect(code).toBe('unavailable');
  expect(message).toMatch(/answers 304 for .*model-worker\.js without the header cross-origin-embedder-policy/);
  expect(message).toContain('Send the header with every response.');
  expect(details).toMatchObject({ url: URL_OF_SCRIPT, httpStatus: 200 });
});

it('one that never sends them is not said to answer 304', async () => {
  serve({ 'no-store': SCRIPT });
  const { message } = await explained();
  expect(message).toMatch(/was served without the header cross-origin-embedder-policy, which this page has/);
  expect(message).not.toContain('304');
});

it('without isolation no header is missed', async () => {
  vi.stubGlobal('crossOriginIsolated', false);
  const asked = serve({ 'no-store': SCRIPT });
  expect((await explained()).message).toMatch(/A file that it imports may be missing/);
  expect(asked).toEqual(['no-store']);
});

it.each<[string, Parameters<typeof serve>, RegExp]>([
  ['nobody answers', [undefined], /could not be downloaded/],
  ['it is gone', [{}, 404], /returned status 404\. Is it deployed/],
  ['a page stands there', [{ 'no-store': { ...ISOLATING, 'content-type': 'text/html' } }], /was served as text\/html/],
])('%s', async (_, answers, reason) => {
  serve(...answers);
  vi.stubGlobal('crossOriginIsolated', false);
  expect((await explained()).message).toMatch(reason);
});

it('what the browser said comes before what the server says', async () => {
  const asked = serve(undefined);
  expect((await explained({ message: 'Oh no' })).message).toMatch(/threw while it started: Oh no/);
  expect((await explained({ blocked: URL_OF_SCRIPT })).message).toMatch(/Content Security Policy blocks/);
  expect(asked).toEqual([]);
});

it('a script is fetched past the cache, and starts no worker meanwhile', async () => {
  const started = vi.fn<() => void>();
  vi.stubGlobal('Worker', started);
  const asked = serve({ reload: SCRIPT });
  expect(await refreshScript(make)).toBe(true);
  expect(asked).toEqual(['reload']);
  expect(started).not.toHaveBeenCalled();
  expect(globalThis.Worker).toBe(started);
});
