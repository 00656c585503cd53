/** Hosts that cannot start, and hosts that go away. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelStatus } from '../../src/index.js';
import { contentScriptOf, type OpenExtension, openExtension } from './support/open-extension.js';

declare const chrome: {
  runtime: { getContexts(filter: object): Promise<{ documentUrl: string }[]> };
  offscreen: { closeDocument(): Promise<void>; createDocument(options: object): Promise<void> };
};

const HOST = `{
  models: [
    { id: 'talker', task: 'chat', backend: 'scripted', script: { tokenDelayMs: 30, replies: [{ text: 'word ', repeat: 300 }] } },
    { id: 'brief', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Paris' }] } },
  ],
}`;

const chat = (model: string, stream = false): { path: string; init: object } => ({
  path: '/chat/completions',
  init: { method: 'POST', body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hi' }] }) },
});

interface Answer {
  status: number;
}
interface Streamed {
  text: string;
  error?: string;
  done: boolean;
}

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Page</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => void server?.close());

describe('a host that runs', () => {
  let extension: OpenExtension;
  beforeAll(async () => {
    extension = await openExtension({ host: HOST });
  });
  afterAll(() => extension?.close());
  const closeHost = async (): Promise<void> =>
    (await extension.worker()).evaluate(() => chrome.offscreen.closeDocument());

  it('a stream whose host is closed goes on in the next one, and nobody connects again', async () => {
    const page = await extension.context.newPage();
    await page.goto(url);
    const tells = [contentScriptOf(page), (await extension.openPage()).tell, extension.inWorker];
    for (const tell of tells) {
      expect((await tell('connect')).error).toBeUndefined();
      expect((await tell('begin', { name: 'long', ...chat('talker', true) })).result).toBe(200);
    }
    const began = async (): Promise<boolean> => {
      const so = await Promise.all(tells.map((tell) => tell<Streamed>('so', { name: 'long' })));
      return so.every(({ result }) => result?.text.includes('word'));
    };
    await expect.poll(began).toBe(true);
    await closeHost();
    for (const tell of tells) {
      const { result } = await tell<Streamed>('rest', { name: 'long' });
      expect(result?.error).toBeUndefined();
      expect(result?.text.match(/word/g)).toHaveLength(300);
      expect(result?.text).toMatch(/data: \[DONE\]\n\n$/);
      expect((await tell<Answer>('ask', chat('brief'))).result?.status).toBe(200);
    }
    await closeHost();
    for (const tell of tells) expect((await tell<Answer>('ask', chat('brief'))).result?.status).toBe(200);
  });

  it('the engine is free when a reader aborts, and when its tab is gone', async () => {
    const page = await extension.context.newPage();
    await page.goto(url);
    const [content, ofPage] = [contentScriptOf(page), (await extension.openPage()).tell];
    const state = async (): Promise<string | undefined> =>
      (await ofPage<ModelStatus[]>('status')).result?.find(({ id }) => id === 'talker')?.state;
    for (const tell of [content, ofPage]) await tell('connect');
    await ofPage('begin', { name: 'aborted', ...chat('talker', true) });
    await expect.poll(state).toBe('busy');
    await ofPage('abort', { name: 'aborted' });
    expect((await ofPage<Streamed>('rest', { name: 'aborted' })).result?.error).toContain('AbortError');
    await expect.poll(state, { timeout: 2_000 }).toBe('ready');
    await content('begin', { name: 'left', ...chat('talker', true) });
    await expect.poll(state).toBe('busy');
    await page.close();
    await expect.poll(state, { timeout: 5_000 }).toBe('ready');
  });
});

it('[Z03] the error of a host that cannot start is that of every connection, until the document is opened anew', async () => {
  const extension = await openExtension({ host: `localStorage.isMended ? {} : { prefix: 'v1' }` });
  try {
    const page = await extension.context.newPage();
    await page.goto(url);
    const tells = [extension.inWorker, (await extension.openPage()).tell, contentScriptOf(page)];
    for (const tell of tells) {
      const { error } = await tell('connect');
      expect(error).toMatchObject({ name: 'InferenceError', code: 'invalid_request', param: 'prefix' });
    }
    const { page: own } = await extension.openPage();
    await own.evaluate(() => localStorage.setItem('isMended', 'yes'));
    await (await extension.worker()).evaluate(() => chrome.offscreen.closeDocument());
    for (const tell of tells) expect((await tell('connect')).error).toBeUndefined();
  } finally {
    await extension.close();
  }
});

it('[Z02] an offscreen document of the same address is used', async () => {
  const extension = await openExtension({ host: HOST });
  try {
    const worker = await extension.worker();
    await worker.evaluate(() =>
      chrome.offscreen.createDocument({ url: 'host.html', reasons: ['WORKERS'], justification: 'By the app' }),
    );
    expect((await extension.inWorker('connect')).error).toBeUndefined();
    expect((await extension.inWorker<Answer>('ask', chat('brief'))).result?.status).toBe(200);
  } finally {
    await extension.close();
  }
});

it('[Z02] an offscreen document of another address is left alone', async () => {
  const extension = await openExtension({ host: HOST });
  try {
    const worker = await extension.worker();
    await worker.evaluate(() =>
      chrome.offscreen.createDocument({ url: 'page.html', reasons: ['WORKERS'], justification: 'Another' }),
    );
    const { error } = await extension.inWorker('connect');
    expect(error).toMatchObject({ code: 'unavailable' });
    const documents = await worker.evaluate(() => chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT'] }));
    expect(documents.map(({ documentUrl }) => new URL(documentUrl).pathname)).toEqual(['/page.html']);
  } finally {
    await extension.close();
  }
});
