/** The same files in Firefox, which has no offscreen documents: its background page holds the host in a frame. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findInstalledFirefox } from '../browsers/firefox.js';
import { plainAnswer, type RawAnswer, SHARED_COUNTS } from '../testing/test-server/support/plain-answer.js';
import { SAME_MODELS, sameRequests } from '../testing/test-server/support/same-requests.js';
import type { Tell, Told } from './support/open-extension.js';
import { type FirefoxExtension, openInFirefox } from './support/open-in-firefox.js';
import { serveWebPages, type WebServer } from './support/web-server.js';

const HOST = `{
  models: [
    ...${JSON.stringify(SAME_MODELS)},
    { id: 'listener', task: 'speech-to-text', backend: 'scripted', script: { replies: [{ text: 'heard' }] } },
    { id: 'quick', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'word ', repeat: 200 }] } },
    { id: 'talker', task: 'chat', backend: 'scripted', script: { tokenDelayMs: 15, replies: [{ text: 'word ', repeat: 200 }] } },
    { id: 'endless', task: 'chat', backend: 'scripted', script: { tokenDelayMs: 30, replies: [{ text: 'word ', repeat: 20000 }] } },
    { id: 'tiny-chat', task: 'chat', backend: 'gguf', source: 'models/tiny-chat/tiny-chat-Q8_0.gguf' },
  ],
}`;

const chat = (model: string, stream = false): { path: string; init: object } => ({
  path: '/chat/completions',
  init: {
    method: 'POST',
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'What is the capital of France?' }] }),
  },
});

interface Answer {
  status: number;
  body: string;
}
interface Streamed {
  text: string;
  error: string | null;
  done: boolean;
}

const open = findInstalledFirefox();
const isSkipped = !open && process.env['BROWSERS'] !== 'required';
if (isSkipped) console.warn('Firefox is not installed: [Z23] is not tested.');

describe.skipIf(isSkipped)('an extension in Firefox', () => {
  let extension: FirefoxExtension;
  let server: WebServer;
  let web: Tell;
  let contexts: Record<string, Tell>;

  beforeAll(async () => {
    if (!open) throw new Error('Firefox is not installed. Run `node .ci/run-ts.mjs .ci/ensure-browsers.ts`.');
    extension = await openInFirefox(open, { host: HOST, models: ['tiny-chat'], asks: true });
    server = await serveWebPages(extension);
    const page = await extension.openWebPage(server.originAt('127.0.0.1'));
    web = page.web;
    contexts = { background: extension.background, page: extension.page, content: page.content };
  });
  afterAll(async () => {
    await extension?.close();
    server?.close();
  });

  it('[Z23] the background page holds the host in a frame, and every context is answered what the host is', async () => {
    expect(await extension.frames()).toEqual([]);
    for (const tell of Object.values(contexts))
      expect(await tell('connect')).toMatchObject({ result: { baseURL: 'https://inpage.invalid/v1' } });
    expect(await extension.frames()).toEqual(['/host.html']);

    const requests = await sameRequests();
    const plain = ({ result, error }: Told<RawAnswer[]>): unknown => {
      expect(error).toBeUndefined();
      return Object.fromEntries(requests.map(({ name }, index) => [name, plainAnswer(result![index]!, SHARED_COUNTS)]));
    };
    // A scripted model's other tokens are of the texts that it has met: it meets all of them first.
    await extension.host('raw', { requests });
    const expected = plain(await extension.host('raw', { requests }));
    for (const tell of Object.values(contexts)) await tell('start', { operation: 'raw', argument: { requests } });
    for (const tell of Object.values(contexts))
      expect(plain((await tell<Told<RawAnswer[]>>('finish')).result!)).toEqual(expected);
  });

  it('[Z23] streams come as they are made, and a reader that aborts frees the engine', async () => {
    const so = async (tell: Tell): Promise<Streamed> => (await tell<Streamed>('so', { name: 'long' })).result!;
    const state = async (): Promise<unknown> => {
      const { result } = await extension.page<{ id: string; state: string }[]>('status');
      return result!.find(({ id }) => id === 'endless')!.state;
    };
    for (const tell of Object.values(contexts)) {
      for (const [reason, error] of [
        ['enough', 'Error: enough'],
        [undefined, 'AbortError'],
      ]) {
        expect((await tell('begin', { name: 'long', ...chat('endless', true) })).result).toBe(200);
        await expect.poll(async () => (await so(tell)).text.match(/word/g)?.length ?? 0).toBeGreaterThan(2);
        await tell('abort', { name: 'long', reason });
        expect((await tell<Streamed>('rest', { name: 'long' })).result?.error).toContain(error);
        await expect.poll(state).toBe('ready');
      }
    }
  });

  it('[Z23] recordings pass from every context in pieces', async () => {
    for (const tell of Object.values(contexts)) {
      const sent = { path: '/audio/transcriptions', init: { method: 'POST' }, bytes: 3e6 };
      expect((await tell<Answer>('ask', sent)).result).toMatchObject({ status: 200 });
    }
  });

  it('[Z23] a model whose files lie in the extension answers a content script', async () => {
    const { result: whole } = await contexts['content']!<Answer>('ask', chat('tiny-chat'));
    expect(whole).toMatchObject({ status: 200, body: expect.stringContaining('Paris') as string });
    const { result: streamed } = await contexts['content']!<Answer>('ask', chat('tiny-chat', true));
    const pieces = [...streamed!.body.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece);
    expect(pieces.join('')).toContain('Paris');
    expect(pieces.length).toBeGreaterThan(3);
    expect(streamed?.body).toMatch(/data: \[DONE\]\n\n$/);
  });

  it('[Z23] a web page gets the models when the person allows it', async () => {
    await web('start', { operation: 'connect' });
    await extension.allow();
    expect((await web('finish')).result).toEqual({
      result: { baseURL: 'https://inpage.invalid/v1', names: ['baseURL', 'fetch', 'stop'] },
    });
    const { result: streamed } = await web<Answer>('ask', chat('quick', true));
    expect(streamed?.body.match(/word/g)).toHaveLength(200);
  });

  it('[Z23] streams whose host is gone go on in the next one', async () => {
    for (const tell of Object.values(contexts)) await tell('begin', { name: 'lasting', ...chat('talker', true) });
    await extension.closeHost();
    for (const tell of Object.values(contexts)) {
      expect((await tell<Streamed>('so', { name: 'lasting' })).result).toMatchObject({ done: false });
    }
    for (const tell of Object.values(contexts)) {
      const { result } = await tell<Streamed>('rest', { name: 'lasting' });
      expect(result?.error).toBeNull();
      expect(result?.text.match(/word/g)).toHaveLength(200);
      expect(result?.text).toMatch(/data: \[DONE\]\n\n$/);
    }
    expect(await extension.frames()).toEqual(['/host.html']);
  });
});
