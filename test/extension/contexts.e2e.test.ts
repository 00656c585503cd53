/** The background, pages and content scripts of an extension share one engine. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ModelStatus } from '../../src/index.js';
import { contentScriptOf, type OpenExtension, openExtension, type Tell, webPageOf } from './support/open-extension.js';
import { openWebPage, serveWebPages, type WebServer } from './support/web-server.js';

const HOST = `{
  models: [
    { id: 'talker', task: 'chat', backend: 'scripted', script: { tokenDelayMs: 20, replies: [{ text: 'word ', repeat: 200 }] } },
    { id: 'quick', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'word ', repeat: 200 }] } },
    { id: 'brief', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Paris \\u2603' }] } },
    { id: 'slow', task: 'chat', backend: 'scripted', script: { tokenDelayMs: 2000, replies: [{ text: 'one two three four' }] } },
    { id: 'fast', task: 'chat', backend: 'scripted', contextLength: 10000, script: { replies: [{ text: 'word ', repeat: 6000 }] } },
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

interface Streamed {
  text: string;
  error?: string;
}

let extension: OpenExtension;
let server: WebServer;
let page: Page;
let contexts: Record<string, Tell>;

beforeAll(async () => {
  extension = await openExtension({ host: HOST });
  // The policy of a page binds its scripts, not the content scripts of an extension.
  server = await serveWebPages(extension);
  ({ page } = await openWebPage(extension, server.originAt('127.0.0.1')));
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

it('without a consent page there is nothing for web pages', async () => {
  expect((await webPageOf(page)('connect')).error).toMatchObject({ name: 'InferenceError', code: 'unavailable' });
});

it('every context gets whole answers, streams and errors', async () => {
  const check = async (tell: Tell): Promise<void> => {
    const { result: whole, error } = await tell<Answer>('ask', chat('brief'));
    expect(error).toBeUndefined();
    expect(whole?.status).toBe(200);
    expect(whole?.headers['inference-id']).toMatch(/\w/);
    expect(JSON.parse(whole!.body)).toMatchObject({ choices: [{ message: { content: 'Paris \u2603' } }] });
    const { result: streamed } = await tell<Answer>('ask', chat('quick', true));
    expect(streamed?.body.match(/word/g)).toHaveLength(200);
    expect(streamed?.body).toMatch(/data: \[DONE\]\n\n$/);
    const { result: missing } = await tell<Answer>('ask', chat('nothing'));
    expect(missing?.status).toBe(404);
  };
  await Promise.all(Object.values(contexts).map(check));
});

it('[Z11] bodies pass as large as the endpoint takes them, and larger ones get the answer that they get in the host', async () => {
  const transcription = { path: '/audio/transcriptions', init: { method: 'POST' } };
  const taken = { ...transcription, bytes: 25e6 };
  const [large, huge] = [
    { ...transcription, bytes: 27e6 },
    { ...chat('brief'), letters: 43e6 },
  ];
  const send = async (tell: Tell, body: object): Promise<unknown> => {
    const { result, error } = await tell<Answer>('ask', body);
    return error ?? [result?.status, result?.body.replace(/"request_id":"[^"]*"/, '')];
  };
  const expected = new Map<object, unknown>();
  for (const [body, status] of [
    [taken, 200],
    [large, 400],
    [huge, 413],
  ] as const) {
    const answer = await send(extension.inHost, body);
    expect(answer).toEqual([status, expect.any(String)]);
    expected.set(body, answer);
  }
  // Each 25 MB from one context are seconds of this test.
  for (const [name, body] of [
    ['background', taken],
    ['page', taken],
    ['content', taken],
    ['content', large],
    ['page', huge],
  ] as const) {
    expect(await send(contexts[name]!, body)).toEqual(expected.get(body));
  }
});

it('[Z09] events come as they are made, and a context that does not read holds the engine back and loses nothing', async () => {
  const tells = Object.values(contexts);
  const texts = async (): Promise<string[]> =>
    Promise.all(tells.map(async (tell) => (await tell<Streamed>('so', { name: 'slow' })).result!.text));
  for (const tell of tells) await tell('begin', { name: 'slow', ...chat('slow', true) });
  await expect.poll(async () => (await texts()).every((text) => text.includes('one'))).toBe(true);
  expect((await texts()).some((text) => text.includes('four'))).toBe(false);
  for (const tell of tells) await tell('abort', { name: 'slow' });

  for (const tell of tells) await tell('begin', { name: 'unread', unread: true, ...chat('fast', true) });
  // As long as those, and begun later.
  const { result: read } = await contexts['page']!<Answer>('ask', chat('fast', true));
  const wholeText = (text = ''): boolean => text.match(/word/g)?.length === 6_000 && text.endsWith('data: [DONE]\n\n');
  expect(wholeText(read?.body)).toBe(true);
  for (const left of [2, 1, 0]) {
    const { result: models } = await contexts['page']!<ModelStatus[]>('status');
    expect(models?.find(({ id }) => id === 'fast')?.state).toBe('busy');
    const { result } = await tells[left]!<Streamed>('rest', { name: 'unread' });
    expect(result?.error).toBeUndefined();
    expect(wholeText(result?.text)).toBe(true);
  }
});

it('[Z05] all contexts share one engine, and are told the same of it', async () => {
  const tells = [...Object.values(contexts), extension.inHost];
  const seen = async (tell: Tell): Promise<unknown> =>
    (await tell<string[]>('watched', { model: 'slow' })).result?.at(-1);
  for (const tell of tells) await tell('watch', { model: 'slow' });
  const told = (tell: Tell, method: string, ...args: string[]): ReturnType<Tell> => tell('call', { method, args });
  expect(await told(contexts['content']!, 'load', 'slow')).toEqual({});
  for (const tell of tells) await expect.poll(() => seen(tell)).toBe('ready');
  const states = async (tell: Tell): Promise<string> => JSON.stringify((await tell<ModelStatus[]>('status')).result);
  for (const tell of tells) await expect.poll(() => states(tell)).toBe(await states(extension.inHost));
  expect(await told(contexts['page']!, 'unload', 'slow')).toEqual({});
  for (const tell of tells) await expect.poll(() => seen(tell)).toBe('absent');
  expect(await told(contexts['background']!, 'load', 'slow')).toEqual({});
  for (const tell of tells) await expect.poll(() => seen(tell)).toBe('ready');

  const methods = { background: ['load', 'unload', 'download', 'remove'], content: ['load'], page: ['load', 'remove'] };
  for (const [name, own] of Object.entries(methods)) {
    for (const method of own) {
      const { error } = await told(extension.inHost, method, 'nothing');
      expect(error).toMatchObject({ name: 'InferenceError', code: 'model_not_found' });
      expect((await told(contexts[name]!, method, 'nothing')).error).toEqual(error);
    }
  }
  const { result: stored } = await told(extension.inHost, 'stored');
  for (const name of ['background', 'page']) expect((await told(contexts[name]!, 'stored')).result).toEqual(stored);

  const { tell: left } = await extension.openPage();
  await left('connect');
  await left('stop');
  expect((await left<Answer>('ask', chat('brief'))).result?.status).toBe(503);
  expect((await contexts['page']!<Answer>('ask', chat('brief'))).result?.status).toBe(200);
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
