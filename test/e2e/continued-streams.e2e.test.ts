/** Streams of a real model whose hosting tab is closed: the next tab goes on with them. */
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newContext, openHost } from './support/host-page.js';
import { connectToSharedChromium } from './support/shared-chromium.js';

let browser: Browser;
let context: BrowserContext;
let tabs: Page[];
let reader: Page;
beforeAll(async () => {
  browser = await connectToSharedChromium();
  context = await newContext(browser);
  // In the order in which they host; the last one reads.
  tabs = [];
  for (let tab = 0; tab < 4; tab++) tabs.push(await openHost(context, {}));
  reader = tabs[3]!;
});
afterAll(() => browser.close());

const SCHEMA = {
  type: 'object',
  properties: { names: { type: 'array', items: { type: 'string', maxLength: 12 }, minItems: 8, maxItems: 8 } },
  required: ['names'],
  additionalProperties: false,
};
const ASK = { model: 'tiny-chat', messages: [{ role: 'user', content: 'Tell me about the capital of France.' }] };
const FORMAT = { type: 'json_schema', json_schema: { name: 'names', strict: true, schema: SCHEMA } };

/** Starts a stream in the reading tab. */
const start = (door: 'service-worker' | 'inference.fetch', body: object): Promise<void> =>
  reader.evaluate(
    async ([by, json]) => {
      const seen = { text: '', ended: false };
      Object.assign(window, { seen });
      const send = by === 'inference.fetch' ? window.inference!.fetch : fetch;
      const response = await send('/v1/chat/completions', { method: 'POST', body: json });
      const lines = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      void (async () => {
        for (let next = await lines.read(); !next.done; next = await lines.read()) seen.text += next.value;
        seen.ended = true;
      })();
    },
    [door, JSON.stringify({ ...ASK, stream: true, max_tokens: 120, ...body })] as const,
  );
const read = (): Promise<{ text: string; ended: boolean }> =>
  reader.evaluate(() => (window as unknown as { seen: { text: string; ended: boolean } }).seen);

async function whole(): Promise<string> {
  await expect.poll(async () => (await read()).ended, { timeout: 60_000 }).toBe(true);
  return (await read()).text;
}

/** Ids and time are the answer's own, and the same in all of its chunks. */
function withoutIds(text: string): string {
  const [id] = /"id":"[^"]*","object":"[^"]*","created":\d+/.exec(text)!;
  return text.replaceAll(id, '');
}

it.each<['service-worker' | 'inference.fetch', string, object]>([
  ['service-worker', 'greedy', {}],
  ['inference.fetch', 'with a seed', { temperature: 1, seed: 4 }],
  ['service-worker', 'JSON after a schema, with a seed', { temperature: 1, seed: 5, response_format: FORMAT }],
])('a stream whose host is closed is the same to the last byte (%s, %s)', async (door, _, body) => {
  await start(door, body);
  const expected = withoutIds(await whole());
  expect(expected).not.toContain('"error"');
  expect(expected.match(/"content":"/g)!.length).toBeGreaterThan(8);
  await reader.evaluate(() => window.inference!.faults.set({ delayPerEventMs: 50 }));
  await start(door, body);
  await expect.poll(async () => (await read()).text.match(/"content":"/g)?.length ?? 0).toBeGreaterThan(3);
  expect((await read()).ended).toBe(false);
  await tabs.shift()!.close();
  expect(withoutIds(await whole())).toBe(expected);
});
