import type { BrowserContext } from 'playwright';
import { expect, it } from 'vitest';
import { openHost } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

let context: BrowserContext;
withContexts((fresh) => (context = fresh));

it('[S25] a transcription that is left at any moment frees the engine', async () => {
  const page = await openHost(context, {});
  const statuses = await page.evaluate(async () => {
    const clip = await (await fetch('/models/tiny-whisper/clips/en-2.wav')).blob();
    const transcribe = (signal?: AbortSignal): Promise<Response> => {
      const form = new FormData();
      form.set('model', 'tiny-whisper');
      form.set('stream', 'true');
      form.set('file', new File([clip], 'clip.wav'));
      return fetch('/v1/audio/transcriptions', { method: 'POST', body: form, ...(signal && { signal }) });
    };
    await (await transcribe()).text();
    const served: number[] = [];
    for (let round = 0; round < 6; round++) {
      // One that works and one that waits behind it, left after 0 to 225 ms.
      const leaving = new AbortController();
      const left = [transcribe(leaving.signal), transcribe(leaving.signal)].map((answer) =>
        answer.then((response) => response.text()).catch(() => ''),
      );
      await new Promise((resolve) => setTimeout(resolve, round * 45));
      leaving.abort();
      const response = await transcribe();
      if ((await response.text()).includes('transcript.text.done')) served.push(response.status);
      await Promise.all(left);
    }
    return served;
  });
  expect(statuses).toEqual(Array.from({ length: 6 }, () => 200));
});

it('[S25] a chat that is left at any moment frees the engine', async () => {
  const page = await openHost(context, {});
  const statuses = await page.evaluate(async () => {
    const chat = (signal?: AbortSignal): Promise<Response> =>
      fetch('/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'tiny-chat',
          messages: [{ role: 'user', content: 'Tell me a very short story.' }],
          stream: true,
          max_tokens: 30,
        }),
        ...(signal && { signal }),
      });
    await (await chat()).text();
    const served: number[] = [];
    for (let round = 0; round < 20; round++) {
      const leaving = new AbortController();
      const left = [chat(leaving.signal), chat(leaving.signal)].map((answer) =>
        answer.then((response) => response.text()).catch(() => ''),
      );
      await new Promise((resolve) => setTimeout(resolve, round * 4));
      leaving.abort();
      const response = await chat();
      if ((await response.text()).endsWith('[DONE]\n\n')) served.push(response.status);
      await Promise.all(left);
    }
    return served;
  });
  expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
});
