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

const HOST = `localStorage.isBroken ? { prefix: 'v1' } : {
  models: [
    { id: 'talker', task: 'chat', backend: 'scripted', script: { tokenDelayMs: 30, replies: [{ text: 'word ', repeat: 200 }] } },
    { id: 'endless', task: 'chat', backend: 'scripted', script: { tokenDelayMs: 30, replies: [{ text: 'word ', repeat: 20000 }] } },
    { id: 'brief', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Paris' }] } },
  ],
}`;

const chat = (model: string, stream = false): { path: string; init: object } => ({
  path: '/chat/completions',
  init: { method: 'POST', body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hi' }] }) },
});

interface Answer {
  status: number;
  headers: Record<string, string>;
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

  it('[Z08] a stream whose host is closed goes on in the next one, and no context connects again', async () => {
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
    const whole = tells.map((tell) => tell<Answer>('ask', chat('talker')));
    // They are under way when later ones have been answered.
    for (const tell of tells) expect((await tell<Answer>('ask', chat('brief'))).result?.status).toBe(200);
    const lengths = async (): Promise<number[]> => {
      const so = await Promise.all(tells.map((tell) => tell<Streamed>('so', { name: 'long' })));
      return so.map(({ result }) => result!.text.length);
    };
    await closeHost();
    const since = performance.now();
    const before = await lengths();
    await expect
      .poll(async () => (await lengths()).every((length, index) => length > before[index]!), { timeout: 30_000 })
      .toBe(true);
    for (const { result, error } of await Promise.all(whole)) {
      expect(error).toBeUndefined();
      expect([200, 503]).toContain(result?.status);
    }
    expect(performance.now() - since).toBeLessThan(30_000);
    for (const tell of tells) {
      const { result } = await tell<Streamed>('rest', { name: 'long' });
      expect(result?.error).toBeUndefined();
      expect(result?.text.match(/word/g)).toHaveLength(200);
      expect(result?.text).toMatch(/data: \[DONE\]\n\n$/);
      expect((await tell<Answer>('ask', chat('brief'))).result?.status).toBe(200);
    }
    await closeHost();
    for (const tell of tells) expect((await tell<Answer>('ask', chat('brief'))).result?.status).toBe(200);
  });

  it('[Z07] [Z10] the engine is free when a reader aborts, and when its tab or worker is gone', async () => {
    const page = await extension.context.newPage();
    await page.goto(url);
    const [content, ofPage] = [contentScriptOf(page), (await extension.openPage()).tell];
    const state = async (): Promise<string | undefined> =>
      (await ofPage<ModelStatus[]>('status')).result?.find(({ id }) => id === 'endless')?.state;
    for (const tell of [content, ofPage, extension.inWorker]) await tell('connect');
    for (const [reason, error] of [
      ['enough', 'Error: enough'],
      [undefined, 'AbortError'],
    ]) {
      await ofPage('begin', { name: 'aborted', ...chat('endless', true) });
      await expect.poll(state).toBe('busy');
      await ofPage('abort', { name: 'aborted', reason });
      expect((await ofPage<Streamed>('rest', { name: 'aborted' })).result?.error).toContain(error);
      await expect.poll(state, { timeout: 2_000 }).toBe('ready');
    }
    // The stream itself would take ten minutes.
    await extension.inWorker('begin', { name: 'of the worker', ...chat('endless', true) });
    await expect.poll(state).toBe('busy');
    await extension.endWorker();
    await expect.poll(state, { timeout: 10_000 }).toBe('ready');
    await content('begin', { name: 'left', ...chat('endless', true) });
    await expect.poll(state).toBe('busy');
    await page.close();
    await expect.poll(state, { timeout: 10_000 }).toBe('ready');
  });

  it('[Z02] an offscreen document of another address is left alone, and one of the same is used', async () => {
    await closeHost();
    const worker = await extension.worker();
    const openDocument = (url: string): Promise<void> =>
      worker.evaluate(
        (path) => chrome.offscreen.createDocument({ url: path, reasons: ['WORKERS'], justification: 'By the app' }),
        url,
      );
    await openDocument('page.html');
    expect((await extension.inWorker('connect')).error).toMatchObject({ code: 'unavailable' });
    const documents = await worker.evaluate(() => chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT'] }));
    expect(documents.map(({ documentUrl }) => new URL(documentUrl).pathname)).toEqual(['/page.html']);

    await closeHost();
    await openDocument('host.html');
    expect((await extension.inWorker('connect')).error).toBeUndefined();
    expect((await extension.inWorker<Answer>('ask', chat('brief'))).result?.status).toBe(200);
  });

  it('[Z03] the error of a host that cannot start is that of every connection, until the document is opened anew', async () => {
    const page = await extension.context.newPage();
    await page.goto(url);
    const { page: own, tell: ofPage } = await extension.openPage();
    const tells = [extension.inWorker, ofPage, contentScriptOf(page)];
    await own.evaluate(() => localStorage.setItem('isBroken', 'yes'));
    await closeHost();
    for (const tell of tells) {
      const { error } = await tell('connect');
      expect(error).toMatchObject({ name: 'InferenceError', code: 'invalid_request', param: 'prefix' });
    }
    await own.evaluate(() => localStorage.removeItem('isBroken'));
    await closeHost();
    for (const tell of tells) expect((await tell('connect')).error).toBeUndefined();
  });

  it('when the process of the extension crashes, and so its host, streams end and requests are answered', async () => {
    const page = await extension.context.newPage();
    await page.goto(url);
    const content = contentScriptOf(page);
    await content('connect');
    await content('begin', { name: 'long', ...chat('endless', true) });
    await expect.poll(async () => (await content<Streamed>('so', { name: 'long' })).result?.text).toContain('word');
    const whole = content<Answer>('ask', chat('endless'));
    // It is under way when a later one has been answered.
    expect((await content<Answer>('ask', chat('brief'))).result?.status).toBe(200);
    // All documents of an extension have one process.
    const { page: own } = await extension.openPage();
    const crashed = own.waitForEvent('crash');
    const session = await extension.context.newCDPSession(own);
    void session.send('Page.crash').catch(() => {});
    await crashed;
    const since = performance.now();
    const { result } = await content<Streamed>('rest', { name: 'long' });
    expect(result?.error).toBeUndefined();
    expect(result?.text).toMatch(/data: \{"error".*\n\n$/);
    expect((await whole).result?.status).toBe(503);
    expect(performance.now() - since).toBeLessThan(30_000);
    // The browser lets nothing of the extension run until the person starts it again.
    const { result: later } = await content<Answer>('ask', chat('brief'));
    expect(later).toMatchObject({ status: 503, headers: { 'x-should-retry': 'false' } });
  });
});
