/** Speech in the built library: through the Service Worker, the gateway and a model worker, under the strict policy. */
import type { Browser } from 'playwright';
import { expect, it } from 'vitest';
import { newContext, openHost } from './support/host-page.js';
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

it('[S23] writes speech down while it is sent, through the Service Worker and inference.fetch', async () => {
  const page = await openHost(await newContext(browser), {
    models: [{ id: 'ears', task: 'speech', backend: 'scripted', script: { replies: [{ text: 'Good morning.' }] } }],
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
