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
