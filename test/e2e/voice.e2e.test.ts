/** Speech in the built library: through the Service Worker, the gateway and a model worker, under the strict policy. */
import type { Browser } from 'playwright';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ModelEntry } from '../../src/index.js';
import { kill, newContext, openHost, stateOf, workersOf } from './support/host-page.js';
import { withBrowser } from './support/shared-chromium.js';

let browser: Browser;
withBrowser((connected) => (browser = connected));

it('[V03] speaks in the page', async () => {
  const page = await openHost(await newContext(browser), {
    models: [{ id: 'voice', task: 'text-to-speech', backend: 'scripted' }],
  });
  const answers = await page.evaluate(async () => {
    const ask = async (format: string) => {
      const body = JSON.stringify({ model: 'voice', input: 'Hello there.', voice: 'low', response_format: format });
      const response = await fetch(`${window.inference!.baseURL}/audio/speech`, { method: 'POST', body });
      const bytes = await response.arrayBuffer();
      const message = response.ok ? '' : new TextDecoder().decode(bytes);
      return { format, status: response.status, bytes: bytes.byteLength, message };
    };
    return [await ask('wav'), await ask('opus'), await ask('mp3')];
  });
  expect(answers[0]).toMatchObject({ status: 200, bytes: 44 + 12 * 1440 * 2 });
  // Their encoders need no more of the page's policy than the library does.
  expect(answers.map(({ status, message }) => [status, message])).toEqual(answers.map(() => [200, '']));
  expect(answers[2]!.bytes).toBeGreaterThan(1000);
});

/** Many sentences, each a while: nothing of a file that came whole would be here before the test is over. */
const LONG_SPEECH = { model: 'slow', input: 'One more. '.repeat(400), voice: 'low' };
const SLOW_VOICE: ModelEntry = {
  id: 'slow',
  task: 'text-to-speech',
  backend: 'scripted',
  script: { replies: [], tokenDelayMs: 400 },
};

it.each(['service-worker', 'inference.fetch'] as const)(
  '[V06] [V14] speech streams through %s, and a reader that leaves frees the engine',
  async (door) => {
    const page = await openHost(await newContext(browser), { models: [SLOW_VOICE] });
    const sizes = await page.evaluate(
      async ([by, fields]) => {
        const { baseURL, fetch: inferenceFetch } = window.inference!;
        const send = by === 'inference.fetch' ? inferenceFetch : fetch;
        const speak = (more: object, signal?: AbortSignal) =>
          send(`${baseURL}/audio/speech`, {
            method: 'POST',
            body: JSON.stringify({ ...fields, ...more }),
            ...(signal && { signal }),
          });
        const found: Record<string, number> = {};
        for (const format of ['mp3', 'wav', 'pcm']) {
          const reader = (await speak({ response_format: format })).body!.getReader();
          found[format] = (await reader.read()).value!.byteLength;
          await reader.cancel();
        }
        const early = new AbortController();
        const left = speak({ response_format: 'wav' }, early.signal).catch((error: Error) => (found[error.name] = 1));
        setTimeout(() => early.abort(), 100);
        await left;
        found['next'] = (await (await speak({ input: 'Next.', response_format: 'pcm' })).arrayBuffer()).byteLength;
        return found;
      },
      [door, LONG_SPEECH] as const,
    );
    expect(sizes).toMatchObject({ AbortError: 1, next: 5 * 1440 * 2 });
    await expect.poll(() => stateOf(page, 'slow')).toBe('ready');
    for (const format of ['mp3', 'wav', 'pcm']) expect([format, sizes[format]! > 0]).toEqual([format, true]);
  },
);

it.each(['service-worker', 'inference.fetch'] as const)(
  '[V14] speech that breaks off is an error to a reader behind %s',
  async (door) => {
    const page = await openHost(await newContext(browser), { models: [SLOW_VOICE] });
    const readers = (by: string): Promise<unknown> =>
      page.evaluate(
        async ([way, fields]) => {
          const { baseURL, fetch: inferenceFetch } = window.inference!;
          const body = JSON.stringify({ ...fields, response_format: 'wav' });
          const send = way === 'inference.fetch' ? inferenceFetch : fetch;
          const { status, body: stream } = await send(`${baseURL}/audio/speech`, { method: 'POST', body });
          const reader = stream!.getReader();
          await reader.read();
          Object.assign(window, { isSpeaking: true });
          for (;;) {
            const step = await reader.read().catch((error: Error) => error);
            if (step instanceof Error) return [status, 'error'];
            if (step.done) return [status, 'end'];
          }
        },
        [by, LONG_SPEECH] as const,
      );
    const lost = readers(door);
    await page.waitForFunction(() => 'isSpeaking' in window);
    const [worker] = await workersOf(page, 'model-worker');
    await kill(worker!);
    expect(await lost).toEqual([200, 'error']);
    await page.evaluate(() => window.inference!.faults.set({ cutStreamAfterEvents: 2 }));
    expect(await readers(door)).toEqual([200, 'error']);
  },
);

it('[V06] [V14] speech streams through serve, and a client that leaves frees the engine', async () => {
  const { serveInference } = (await import(
    join(import.meta.dirname, '../../dist/serve.js')
  )) as typeof import('../../src/serve/index.js');
  const server = await serveInference({ models: [SLOW_VOICE] });
  onTestFinished(() => server.close());
  const speak = (more: object, signal?: AbortSignal): Promise<Response> => {
    const body = JSON.stringify({ ...LONG_SPEECH, ...more });
    return fetch(`${server.baseURL}/audio/speech`, { method: 'POST', body, ...(signal && { signal }) });
  };
  for (const format of ['mp3', 'wav', 'pcm']) {
    const reader = (await speak({ response_format: format })).body!.getReader();
    expect((await reader.read()).value!.length).toBeGreaterThan(0);
    await reader.cancel();
  }
  await expect(speak({ response_format: 'wav' }, AbortSignal.timeout(100))).rejects.toThrow(/abort/);
  const next = await speak({ input: 'Next.', response_format: 'pcm' });
  expect((await next.arrayBuffer()).byteLength).toBe(5 * 1440 * 2);
});

it('[S23] writes speech down while it is sent, through the Service Worker and inference.fetch', async () => {
  const page = await openHost(await newContext(browser), {
    models: [
      { id: 'ears', task: 'speech-to-text', backend: 'scripted', script: { replies: [{ text: 'Good morning.' }] } },
    ],
  });
  const heard = await page.evaluate(async () => {
    const { baseURL, fetch: inferenceFetch } = window.inference!;
    const said = (seconds: number, loud: number): Uint8Array =>
      new Uint8Array(Int16Array.from({ length: seconds * 16_000 }, (_, at) => loud * Math.sin(at / 8)).buffer);
    const listen = async (send: typeof fetch): Promise<string> => {
      let microphone: ReadableStreamDefaultController<Uint8Array>;
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void (microphone = controller) });
      const speak = (): void => {
        for (const sound of [said(0.5, 0), said(1, 9000), said(1, 0)]) microphone.enqueue(sound);
      };
      speak();
      const headers = { 'content-type': 'audio/pcm; rate=16000' };
      const request = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
      const response = await send(`${baseURL}/audio/transcriptions?model=ears&stream=true`, request);
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      const readUntil = async (phrases: number): Promise<void> => {
        while (text.split('"delta":" morning."').length <= phrases) text += (await reader.read()).value;
      };
      // Each phrase is answered before the next is said.
      await readUntil(1);
      speak();
      await readUntil(2);
      microphone!.close();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return text;
        text += value;
      }
    };
    return [await listen(fetch), await listen(inferenceFetch)];
  });
  for (const text of heard) expect(text).toContain('"text":"Good morning. Good morning."');
});
