import type { Browser, BrowserContext, Page, Route } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InferenceOptions, ScriptedEntry } from '../../src/index.js';
import { bundleForPage } from './support/bundle-for-page.js';
import type * as ClientsPage from './support/clients-page.js';
import { newContext, openHost, takeServerLog, workersOf } from './support/host-page.js';
import { connectToSharedChromium } from './support/shared-chromium.js';

declare global {
  // The bundle's global.
  var clients: typeof ClientsPage;
  // The gateway's: see `giveClock`.
  var stopClock: () => void;
  var startClock: (later: number) => void;
}

let browser: Browser;
let bundle: string;
beforeAll(async () => {
  // Other tests let requests go to the network on purpose.
  await takeServerLog();
  const entry = new URL('./support/clients-page.ts', import.meta.url).href;
  [browser, bundle] = await Promise.all([connectToSharedChromium(), bundleForPage(entry, 'clients')]);
});
afterAll(() => browser.close());

/**
 * The gateway with a clock that tests can stop, and start again so many milliseconds later: then it shows that time when
 * it is looked at next, and runs from there.
 */
async function giveClock(route: Route): Promise<void> {
  const response = await route.fetch();
  const clock = `{
    const { now } = Date;
    let [ahead, stands, shown] = [0, false, 0];
    globalThis.stopClock = () => { [stands, shown] = [true, now() + ahead]; };
    globalThis.startClock = (later) => { [stands, shown] = [false, shown + later]; };
    Date.now = () => {
      if (stands) return shown;
      if (shown) [ahead, shown] = [shown - now(), 0];
      return now() + ahead;
    };
  }`;
  await route.fulfill({ response, body: `${clock}\n${await response.text()}` });
}

/** A page with the clients, in a context of its own. */
async function openClients(options: InferenceOptions): Promise<{ context: BrowserContext; page: Page }> {
  const context = await newContext(browser);
  await context.route(/gateway-worker/, giveClock);
  const page = await openHost(context, options);
  await page.evaluate(bundle);
  return { context, page };
}

describe('official clients on the bundled models, through the Service Worker', () => {
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    ({ context, page } = await openClients({}));
  });
  afterAll(() => context.close());

  it('openai chat: stream, runTools, parse with zod', async () => {
    const seen = await page.evaluate(() => clients.chatCompletions());
    expect(seen.text).toContain('Paris');
    expect(seen.pieces).toBeGreaterThan(3);
    expect(seen.cities).toEqual(['Oslo']);
    expect(seen.answer).toContain('rainy');
    expect(seen.parsed).toBe(true);
  });

  it('openai responses: stream, parse with zod', async () => {
    const seen = await page.evaluate(() => clients.responses());
    expect(seen.text).toContain('Paris');
    expect(seen.pieces).toBeGreaterThan(3);
    expect(seen.parsed).toBe(true);
  });

  it('anthropic messages: streamed text, tool use and thinking', async () => {
    const seen = await page.evaluate(() => clients.messages());
    expect(seen.text).toContain('Paris');
    expect(seen).toMatchObject({ reason: 'tool_use', input: { city: 'Oslo' }, kinds: ['thinking', 'text'] });
    expect(seen.thought.length).toBeGreaterThan(10);
  });

  it('ai: streamText, generateObject, a tool loop', async () => {
    const seen = await page.evaluate(() => clients.aiSdk());
    expect(seen.text).toContain('Paris');
    expect(seen).toMatchObject({ object: true, steps: 2 });
    expect(seen.answer).toContain('rainy');
  });

  it('[A16] [A17] openai embeddings, transcriptions and translations', async () => {
    const seen = await page.evaluate(() => clients.embeddingsAndAudio());
    expect(seen).toMatchObject({ dimensions: 256, isRanked: true });
    expect(seen.whole).toBe('The airport opens on Monday. We are going to take a photo on Sunday.');
    expect(seen.streamed).toBe(seen.whole);
    expect(seen.translated).toMatch(/Vienna/);
  });

  it('none of it reached the network', async () => {
    expect((await takeServerLog()).filter((line) => line.includes('/v1'))).toEqual([]);
  });
});

describe('error classes of the official clients, raised by their real causes', () => {
  const scripted = (id: string, more: Partial<ScriptedEntry> = {}): ScriptedEntry => ({
    id,
    task: 'chat',
    backend: 'scripted',
    script: { replies: [{ text: 'Hello.' }] },
    ...more,
  });
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    ({ context, page } = await openClients({
      apiKeys: ['right', 'patient', 'hasty', { key: 'old', revoked: true }],
      rateLimits: { requestsPerMinute: 20 },
      models: [
        scripted('good'),
        scripted('premium', { access: 'not-in-plan' }),
        scripted('broken', { script: { replies: [], failWith: 'internal' } }),
        scripted('away', { script: { replies: [], failWith: 'unavailable' } }),
      ],
    }));
  });
  afterAll(() => context.close());

  it.each([
    ['[K02] an unknown key', 'AuthenticationError', { model: 'good', apiKey: 'wrong' }],
    ['[K03] a revoked key', 'AuthenticationError', { model: 'good', apiKey: 'old' }],
    ['[X09] an unknown model', 'NotFoundError', { model: 'nobody', apiKey: 'right' }],
    ['[K10] [K11] a model outside the plan', 'UnprocessableEntityError', { model: 'premium', apiKey: 'right' }],
    ['[X15] a model that breaks', 'InternalServerError', { model: 'broken', apiKey: 'right' }],
    ['[X17] an engine that is gone', 'InternalServerError', { model: 'away', apiKey: 'right' }],
    ['[X07] a number out of range', 'BadRequestError', { model: 'good', apiKey: 'right', temperature: 7 }],
  ])('%s: %s', async (_cause, name, cause) => {
    const raised = await page.evaluate((request) => clients.errorClasses(request), cause);
    expect(raised.openai).toContain(name);
    expect(raised.anthropic).toContain(name);
  });

  it('[Q06] too many requests: RateLimitError', async () => {
    const raised = await page.evaluate(async () => {
      for (let request = 0; request < 20; request++) await clients.askPatiently('hasty', 'good');
      return clients.errorClasses({ model: 'good', apiKey: 'hasty' });
    });
    expect(raised.openai).toContain('RateLimitError');
    expect(raised.anthropic).toContain('RateLimitError');
  });

  it('[Q08] [Q12] the client waits for retry-after by itself and is served', async () => {
    const [gateway] = await workersOf(page, 'gateway-worker');
    await gateway?.evaluate(() => globalThis.stopClock());
    await page.evaluate(async () => {
      for (let request = 0; request < 20; request++) await clients.askPatiently('patient', 'good');
    });
    // The minute is over a few seconds after the next request, whenever that comes.
    await gateway?.evaluate(() => globalThis.startClock(56_000));
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/v1/chat')) statuses.push(response.status());
    });
    expect(await page.evaluate(() => clients.askPatiently('patient', 'good'))).toBe('Hello.');
    await expect.poll(() => statuses.at(-1)).toBe(200);
    expect(statuses[0]).toBe(429);
  });
});
