/** The background, pages and content scripts of an extension share one engine. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ModelStatus } from '../../src/index.js';
import { contentScriptOf, type OpenExtension, openExtension, type Tell } from './support/open-extension.js';

const HOST = `{
  models: [
    { id: 'talker', task: 'chat', backend: 'scripted', script: { tokenDelayMs: 20, replies: [{ text: 'word ', repeat: 200 }] } },
    { id: 'brief', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Paris \\u2603' }] } },
    { id: 'slow', task: 'chat', backend: 'scripted', script: { tokenDelayMs: 3000, replies: [{ text: 'one two three four' }] } },
    { id: 'listener', task: 'speech-to-text', backend: 'scripted', script: { replies: [{ text: 'heard' }] } },
  ],
}`;

const chat = (model: string, stream = false): { path: string; init: object } => ({
  path: '/chat/completions',
  init: { method: 'POST', body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hi' }] }) },
});

declare const chrome: { runtime: { getContexts(filter: object): Promise<object[]> } };

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

let extension: OpenExtension;
let server: Server;
let page: Page;
let contexts: Record<string, Tell>;

beforeAll(async () => {
  extension = await openExtension({ host: HOST });
  // The policy of a page binds its scripts, not the content scripts of an extension.
  server = createServer((_, response) => {
    response.writeHead(200, {
      'content-type': 'text/html',
      'content-security-policy': "default-src 'none'; script-src 'self'",
    });
    response.end('<!doctype html><title>Page</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  page = await extension.context.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  contexts = {
    background: extension.inWorker,
    page: (await extension.openPage()).tell,
    content: contentScriptOf(page),
  };
});
afterAll(async () => {
  await extension?.close();
  server?.close();
});

it('[Z02] many first connections at once open one host, not before, and have the same base', async () => {
  const hosts = async (): Promise<object[]> =>
    (await extension.worker()).evaluate(() => chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT'] }));
  expect(await hosts()).toEqual([]);
  const told = await Promise.all(
    Object.values(contexts).map((tell) => tell<{ baseURL: string; names: string[] }>('connect')),
  );
  expect(told.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
  expect(new Set(told.map(({ result }) => result?.baseURL))).toEqual(new Set(['https://inpage.invalid/v1']));
  const [background, ofPage, content] = told.map(({ result }) => result?.names);
  expect(content).toEqual(['baseURL', 'fetch', 'load', 'status', 'stop', 'subscribe']);
  expect(ofPage).toEqual(
    [...content!, 'download', 'remove', 'stored', 'unload'].toSorted((a, b) => a.localeCompare(b)),
  );
  expect(background).toEqual(ofPage);
  expect(await hosts()).toHaveLength(1);
});

it('every context gets whole answers, streams, errors and what it sent', async () => {
  for (const tell of Object.values(contexts)) {
    const { result: whole, error } = await tell<Answer>('ask', chat('brief'));
    expect(error).toBeUndefined();
    expect(whole?.status).toBe(200);
    expect(whole?.headers['inference-id']).toMatch(/\w/);
    expect(JSON.parse(whole!.body)).toMatchObject({ choices: [{ message: { content: 'Paris \u2603' } }] });
    const { result: streamed } = await tell<Answer>('ask', chat('talker', true));
    expect(streamed?.body.match(/word/g)).toHaveLength(200);
    expect(streamed?.body).toMatch(/data: \[DONE\]\n\n$/);
    const { result: missing } = await tell<Answer>('ask', chat('nothing'));
    expect(missing?.status).toBe(404);
    const { result: heard } = await tell<Answer>('ask', {
      path: '/audio/transcriptions',
      init: { method: 'POST' },
      bytes: 4e6,
    });
    expect(heard?.status).toBe(400);
  }
});

it('a body that is larger than what the endpoint takes gets the answer that it gets in the host', async () => {
  const body = { path: '/audio/transcriptions', init: { method: 'POST' }, bytes: 70e6 };
  const { result, error } = await contexts['content']!<Answer>('ask', body);
  expect(error).toBeUndefined();
  expect([400, 413]).toContain(result?.status);
});

it('all contexts are told the same state', async () => {
  await contexts['content']!('call', { method: 'load', args: ['slow'] });
  for (const tell of Object.values(contexts)) {
    await expect
      .poll(async () => (await tell<ModelStatus[]>('status')).result?.find(({ id }) => id === 'slow')?.state)
      .toBe('ready');
  }
  expect((await contexts['page']!('call', { method: 'unload', args: ['nothing'] })).error).toMatchObject({
    name: 'InferenceError',
    code: 'model_not_found',
  });
});

it('[Z06] streams of all other contexts go on, and others begin, when the browser has ended the background', async () => {
  const [content, ofPage] = [contexts['content']!, contexts['page']!];
  for (const tell of [content, ofPage]) await tell('begin', { name: 'long', ...chat('talker', true) });
  await extension.endWorker();
  for (const tell of [content, ofPage]) {
    const { result } = await tell<{ text: string; error?: string }>('rest', { name: 'long' });
    expect(result?.error).toBeUndefined();
    expect(result?.text.match(/word/g)).toHaveLength(200);
    expect((await tell<Answer>('ask', chat('brief'))).result?.status).toBe(200);
  }
});
