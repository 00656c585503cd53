import { afterAll, beforeAll, expect, it } from 'vitest';
import { countingModel } from '../e2e/support/host-page.js';
import { RawChromium, type RawPage } from '../support/raw-chromium.js';
import { ask, IS_LONG, openTab } from './chaos-tabs.js';

/** Requests of each kind. */
const REQUESTS = IS_LONG ? 2_000 : 200;

/**
 * Bytes by which a realm may grow, however many requests it has seen: a relay keeps nothing, the others have caches and
 * code that is compiled late. A request that were kept would be at least 3 kB.
 */
const mostOf = (realm: string): number => (realm === 'service worker' ? 100_000 : 300_000);

/** One for each kind of request, so that none waits for another; the last takes long enough to be left. */
const MODELS = [countingModel(5, 0, 'streamed'), countingModel(5, 0, 'whole'), countingModel(20, 10, 'left')];

let browser: RawChromium;
beforeAll(async () => {
  browser = await RawChromium.launch();
});
afterAll(() => browser.close());

/** So many requests of each kind by plain `fetch`, a few at a time. */
async function load(page: RawPage, requests: number): Promise<void> {
  await page.evaluate(`(async () => {
    const chat = (model, stream, signal) => fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hi' }] }),
      signal,
    });
    const left = async (stream) => {
      const leaving = new AbortController();
      const answer = chat('left', stream, leaving.signal).then((response) => response.text()).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 5));
      leaving.abort();
      await answer;
    };
    const kinds = [
      async () => (await chat('streamed', true)).text(),
      async () => (await chat('whole', false)).text(),
      (index) => left(index % 2 === 0),
    ];
    await Promise.all(kinds.map(async (kind) => {
      for (let index = 0; index < ${requests}; index++) await kind(index);
    }));
    performance.clearResourceTimings();
  })()`);
}

/** Milliseconds after which the last deadline of an ended request has passed. */
const SETTLED = 12_000;

/** Bytes by realm; a Service Worker has no name. */
async function heaps(page: RawPage): Promise<Record<string, number>> {
  await new Promise((resolve) => setTimeout(resolve, SETTLED));
  const sizes: Record<string, number> = { page: await browser.heapOf(page.session) };
  const named = await page.inWorkers(async (inWorker) => {
    const { result } = await browser.send('Runtime.evaluate', { expression: 'self.name' }, inWorker);
    return [(result as { value?: string }).value ?? 'service worker', await browser.heapOf(inWorker)] as const;
  });
  for (const [name, bytes] of named) sizes[name] = Math.max(sizes[name] ?? 0, bytes);
  return sizes;
}

it(
  `no realm keeps anything of ${REQUESTS} requests of each kind`,
  async () => {
    const page = await openTab(browser, {
      models: MODELS,
      rateLimits: { requestsPerMinute: 1e9, requestsPerDay: 1e9 },
    });
    // As many before as counted: engines compile what runs often, and keep that.
    await load(page, REQUESTS);
    const before = await heaps(page);
    await load(page, REQUESTS);
    const after = await heaps(page);
    expect(Object.keys(after).toSorted()).toEqual(['inpage-gateway', 'inpage-model', 'page', 'service worker']);
    const grown = Object.entries(after).map(([realm, bytes]) => [realm, bytes - (before[realm] ?? 0)] as const);
    console.warn(
      `grown after ${3 * REQUESTS} requests: ${grown.map(([realm, by]) => `${realm} ${by} bytes`).join(', ')}`,
    );
    expect(grown.filter(([realm, by]) => by > mostOf(realm))).toEqual([]);
    expect(await ask(page, 'whole')).toMatchObject({ status: 200 });
  },
  30 * 60_000,
);
