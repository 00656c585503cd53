import type OpenAI from 'openai';
import type { BrowserContext } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { bundleForPage } from './support/bundle-for-page.js';
import { countingModel, type Door, openHost, requireNothingLeaked, takeServerLog } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

declare global {
  // The bundle's global, and the client that tests make of it.
  var openaiPackage: { OpenAI: typeof OpenAI };
  var client: OpenAI;
}

let context: BrowserContext;
let bundle: string;
beforeAll(async () => {
  bundle = await bundleForPage('openai', 'openaiPackage');
});
withContexts(async (fresh) => {
  context = fresh;
  await takeServerLog();
}, requireNothingLeaked);

const DOORS: [Door, InferenceOptions][] = [
  ['service-worker', {}],
  ['inference.fetch', { serviceWorker: false }],
];

/** A page with the official client, as an app would make it. */
async function openClient(door: Door, options: InferenceOptions) {
  const page = await openHost(context, options);
  await page.evaluate(bundle);
  await page.evaluate((by) => {
    const { inference } = window;
    if (!inference) throw new Error('not started');
    globalThis.client = new openaiPackage.OpenAI({
      baseURL: inference.baseURL,
      apiKey: 'none',
      dangerouslyAllowBrowser: true,
      maxRetries: 0,
      ...(by === 'inference.fetch' && { fetch: inference.fetch }),
    });
  }, door);
  return page;
}

describe.each(DOORS)('the official openai client in the page, by %s', (door, options) => {
  it('streams an answer of tiny-chat, the same on every run', async () => {
    const page = await openClient(door, options);
    const answers = await page.evaluate(async () => {
      const texts: string[] = [];
      let deltas = 0;
      for (let run = 0; run < 2; run++) {
        const stream = await client.chat.completions.create({
          model: 'tiny-chat',
          stream: true,
          temperature: 0,
          messages: [{ role: 'user', content: 'What is the capital of France?' }],
        });
        let text = '';
        for await (const chunk of stream) {
          text += chunk.choices[0]?.delta.content ?? '';
          deltas += 1;
        }
        texts.push(text);
      }
      const whole = await client.chat.completions.create({
        model: 'tiny-chat',
        temperature: 0,
        messages: [{ role: 'user', content: 'What is the capital of France?' }],
      });
      return { texts, deltas, whole: whole.choices[0]?.message.content };
    });
    expect(answers.texts[0]).toContain('Paris');
    expect(answers.texts[1]).toBe(answers.texts[0]);
    expect(answers.whole).toBe(answers.texts[0]);
    expect(answers.deltas).toBeGreaterThan(4);
  });

  it('[S25] aborts after the third token, and the engine is free at once', async () => {
    const page = await openClient(door, { ...options, models: [countingModel(500, 100)] });
    const seen = await page.evaluate(async () => {
      const ask = () =>
        client.chat.completions.create({
          model: 'counting',
          stream: true,
          messages: [{ role: 'user', content: 'Hi' }],
        });
      const stream = await ask();
      let tokens = 0;
      for await (const chunk of stream) {
        if (chunk.choices[0]?.delta.content) tokens += 1;
        if (tokens === 3) break;
      }
      let next = '';
      for await (const chunk of await ask()) {
        next += chunk.choices[0]?.delta.content ?? '';
        if (next.includes('w2')) break;
      }
      return { tokens, next };
    });
    expect(seen.tokens).toBe(3);
    // The first answer would have run for longer than this test may.
    expect(seen.next).toContain('w0 w1 w2');
  });
});
