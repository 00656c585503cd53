/** Web pages get the models only when the person allows it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenExtension, openExtension, type Tell, webPageOf } from './support/open-extension.js';
import {
  consentPageFor,
  consentPages,
  decide,
  openWebPage,
  serveWebPages,
  type WebServer,
} from './support/web-server.js';

const HOST = `{
  models: [
    { id: 'brief', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Paris' }] } },
    { id: 'talker', task: 'chat', backend: 'scripted', script: { tokenDelayMs: 50, replies: [{ text: 'word ', repeat: 2000 }] } },
    { id: 'slow', task: 'chat', backend: 'scripted', script: { tokenDelayMs: 3600e3, replies: [{ text: 'one two three' }] } },
  ],
}`;

const chat = (model: string, stream = false): { path: string; init: object } => ({
  path: '/chat/completions',
  init: { method: 'POST', body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hi' }] }) },
});

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}
interface Streamed {
  text: string;
  error?: string;
  done: boolean;
}
interface Connected {
  baseURL: string;
  names: string[];
}

describe('an extension that asks', () => {
  let extension: OpenExtension;
  let server: WebServer;
  beforeAll(async () => {
    extension = await openExtension({ host: HOST, asks: true });
    server = await serveWebPages(extension);
  });
  afterAll(async () => {
    await extension?.close();
    server?.close();
  });

  /** A page whose origin is allowed. */
  const openAllowed = async (host: string): Promise<Tell> => {
    const origin = server.originAt(host);
    const { tell } = await openWebPage(extension, origin);
    const connected = tell('connect');
    const consent = await decide(extension, origin, 'allow');
    expect((await connected).error).toBeUndefined();
    await consent.close();
    return tell;
  };
  const own = async (source: string): Promise<unknown> => {
    const { page } = await extension.openPage();
    const result = await page.evaluate(source);
    await page.close();
    return result;
  };

  it('[Z14] a page that does not ask notices nothing, and without an extension asking fails within 5 s', async () => {
    const origin = server.originAt('a.localhost');
    const seen = async (path: string): Promise<object> => {
      const { page } = await openWebPage(extension, origin + path);
      await page.evaluate(() => {
        (globalThis as { heard?: unknown[] }).heard = [];
        addEventListener('message', ({ data }) => (globalThis as { heard?: unknown[] }).heard?.push(data));
      });
      await page.reload();
      const found = await page.evaluate(() => ({
        globals: Object.getOwnPropertyNames(globalThis).toSorted(),
        html: document.documentElement.outerHTML,
        resources: performance.getEntriesByType('resource').map(({ name }) => name),
        heard: (globalThis as { heard?: unknown[] }).heard,
      }));
      await page.close();
      return found;
    };
    // The manifest keeps its content script away from the second.
    expect(await seen('/')).toEqual(await seen('/plain'));
    const { tell } = await openWebPage(extension, `${origin}/plain`);
    const start = performance.now();
    expect((await tell('connect')).error).toMatchObject({ name: 'InferenceError', code: 'unavailable' });
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('[Z15] [Z18] a page is asked about once, and gets requests and nothing else', async () => {
    const origin = server.originAt('allowed.localhost');
    const { tell } = await openWebPage(extension, origin);
    const { tell: other } = await openWebPage(extension, origin);
    const connected = [tell<Connected>('connect'), tell<Connected>('connect'), other<Connected>('connect')];
    await consentPageFor(extension, origin);
    // The next origin waits until this one is answered.
    const denied = server.originAt('denied.localhost');
    const { tell: unwelcome } = await openWebPage(extension, denied);
    const refused = unwelcome('connect');
    await extension.endWorker();
    expect(consentPages(extension)).toHaveLength(1);
    await decide(extension, origin, 'allow');
    for (const { result, error } of await Promise.all(connected)) {
      expect(error).toBeUndefined();
      expect(result).toEqual({ baseURL: 'https://inpage.invalid/v1', names: ['baseURL', 'fetch', 'stop'] });
    }
    expect((await tell<Answer>('ask', chat('brief'))).result).toMatchObject({ status: 200 });
    // The page's policy forbids this, and the extension fetches nothing for it.
    const elsewhere = await tell('ask', { base: server.originAt('127.0.0.1'), path: '/', init: {} });
    expect(elsewhere.error).toMatchObject({ name: 'TypeError' });

    const page = await decide(extension, denied, 'deny');
    expect(consentPages(extension)).toEqual([page]);
    expect((await refused).error).toMatchObject({ name: 'InferenceError', code: 'permission_denied' });
    await page.close();
    expect((await unwelcome('connect')).error).toMatchObject({ code: 'permission_denied' });
    expect(consentPages(extension)).toEqual([]);

    const undecided = server.originAt('undecided.localhost');
    const { tell: asking } = await openWebPage(extension, undecided);
    for (let round = 0; round < 2; round += 1) {
      const closed = asking('connect');
      await (await consentPageFor(extension, undecided)).close();
      expect((await closed).error).toMatchObject({ code: 'permission_denied' });
    }
  });

  it('[Z17] the browser tells the origin, and some are refused without a question', async () => {
    const trusted = server.originAt('127.0.0.1');
    const refusal = { name: 'InferenceError', code: 'permission_denied' };
    const { tell } = await openWebPage(extension, server.originAt('insecure.test'));
    expect((await tell('connect')).error).toMatchObject(refusal);
    for (const path of ['/frames', '/sandbox']) {
      const { page } = await openWebPage(extension, `${server.originAt('top.localhost')}${path}?${trusted}/`);
      const frame = page.frames().find((each) => each.url().startsWith(trusted))!;
      await frame.waitForFunction(() => 'run' in globalThis);
      expect((await webPageOf(frame)('connect')).error).toMatchObject(refusal);
    }
    expect(consentPages(extension)).toEqual([]);
    // A frame in a page of its own origin may ask.
    const { page } = await openWebPage(extension, `${trusted}/frames?${trusted}/`);
    const frame = page.frames().find((each) => each !== page.mainFrame())!;
    await frame.waitForFunction(() => 'run' in globalThis);
    const connected = webPageOf(frame)('connect');
    const consent = await decide(extension, trusted, 'allow');
    expect((await connected).error).toBeUndefined();
    await consent.close();
  });

  it('[Z19] what is revoked ends, and is asked about anew', async () => {
    const tell = await openAllowed('revoked.localhost');
    const origin = server.originAt('revoked.localhost');
    expect(await own('extension.allowedOrigins()')).toContainEqual({ origin, allowed: true });
    await tell('begin', { name: 'long', ...chat('talker', true) });
    await expect.poll(async () => (await tell<Streamed>('so', { name: 'long' })).result?.text).toContain('word');
    const whole = tell<Answer>('ask', chat('slow'));
    const messages = { ...chat('slow'), path: '/messages' };
    // Both are under way when an answer to a third has come.
    expect((await tell<Answer>('ask', chat('brief'))).result?.status).toBe(200);
    await own(`extension.revokeOrigin('${origin}')`);
    const { result: ended } = await tell<Streamed>('rest', { name: 'long' });
    expect(ended?.error).toBeUndefined();
    expect(ended?.text).toMatch(/"error"/);
    expect(ended?.text).not.toContain('"finish_reason":"stop"');
    const { result: refused } = await whole;
    expect(refused?.status).toBe(403);
    expect(JSON.parse(refused!.body).error).toMatchObject({ type: 'permission_error', code: 'origin_not_allowed' });
    expect((await tell<Answer>('ask', chat('brief'))).result?.status).toBe(403);
    const { result: dialect } = await tell<Answer>('ask', messages);
    expect(dialect?.status).toBe(403);
    expect(JSON.parse(dialect!.body)).toMatchObject({ type: 'error', error: { type: 'permission_error' } });
    expect(await own('extension.allowedOrigins()')).not.toContainEqual(expect.objectContaining({ origin }));
    const connected = tell('connect');
    const consent = await decide(extension, origin, 'allow');
    expect((await connected).error).toBeUndefined();
    await consent.close();
  });

  it('[Z20] an origin has 4 requests under way and 16 that wait, and the extension does not wait behind those', async () => {
    const tell = await openAllowed('busy.localhost');
    // None of the others is answered: the model is silent.
    const { result } = await Promise.race(Array.from({ length: 21 }, () => tell<Answer>('ask', chat('slow'))));
    expect(result?.status).toBe(429);
    expect(result?.headers['retry-after']).toMatch(/^\d+$/);
    expect(JSON.parse(result!.body).error).toMatchObject({ type: 'rate_limit_error' });
    const { tell: ofPage } = await extension.openPage();
    await ofPage('connect');
    expect((await ofPage<Answer>('ask', chat('brief'))).result?.status).toBe(200);
  });

  it('[Z16] what the person said is kept over a restart of the browser, for exactly that origin', async () => {
    const origin = server.originAt('kept.localhost');
    await openAllowed('kept.localhost');
    extension = await extension.restart();
    const { tell } = await openWebPage(extension, origin);
    expect((await tell('connect')).error).toBeUndefined();
    expect((await tell<Answer>('ask', chat('brief'))).result?.status).toBe(200);
    expect(consentPages(extension)).toEqual([]);
    const other = await serveWebPages(extension);
    try {
      const { tell: next } = await openWebPage(extension, other.originAt('kept.localhost'));
      const refused = next('connect');
      await decide(extension, other.originAt('kept.localhost'), 'deny');
      expect((await refused).error).toMatchObject({ code: 'permission_denied' });
    } finally {
      other.close();
    }
  });
});
