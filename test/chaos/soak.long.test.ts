import { afterEach, beforeEach, expect, it } from 'vitest';
import { countingModel, requireNothingLeaked, takeServerLog } from '../e2e/support/host-page.js';
import { RawChromium, type RawPage } from '../support/raw-chromium.js';
import { ask, openTab, type Seen } from './chaos-tabs.js';

/** How much of everything. */
const [STREAM_SECONDS, STOPS, ABORTS, CLOSED, CRASHED] = [600, 200, 1_000, 50, 50];

/** Words of the long answer, of two tokens each, ten tokens a second. */
const LENGTH = STREAM_SECONDS * 5;
/** Models of their own: none waits for another's answer. */
const OPTIONS = {
  models: [
    countingModel(5, 0, 'quick'),
    countingModel(40, 20, 'middling'),
    // A browser does not tell a Service Worker of requests that were left before their head: their answers are made.
    countingModel(40, 1, 'left'),
    { ...countingModel(LENGTH, 100, 'long'), contextLength: 100_000 },
  ],
  rateLimits: { requestsPerMinute: 1e9, requestsPerDay: 1e9 },
};

let browser: RawChromium;
beforeEach(async () => {
  await takeServerLog();
  browser = await RawChromium.launch();
});
afterEach(async () => {
  await browser.close();
  await requireNothingLeaked();
});

/** How a request ended: `whole`, with a `typed` error, with the browser's own `network` error, or `untyped`. */
function endOf({ status, text }: Seen): 'whole' | 'typed' | 'network' | 'untyped' {
  if (status === 0)
    return text.includes('TypeError: Failed to fetch') || text.includes('network error') ? 'network' : 'untyped';
  if (status === 503) return 'typed';
  if (status !== 200) return 'untyped';
  if (/"code":"unavailable"[^\n]*\n\n$/.test(text)) return 'typed';
  return text.endsWith('[DONE]\n\n') || text.endsWith('}') ? 'whole' : 'untyped';
}

/** Ends by kind. */
function count(seen: Seen[]): Record<string, number> {
  const counts: Record<string, number> = { whole: 0, typed: 0, network: 0, untyped: 0 };
  for (const one of seen) counts[endOf(one)] = (counts[endOf(one)] ?? 0) + 1;
  return counts;
}

/** Requests that are under way: streamed and whole, through the Service Worker and not. */
async function underWay(page: RawPage): Promise<Promise<Seen[]>[]> {
  const doors = ['service-worker', 'inference.fetch'] as const;
  return doors.map((door) => Promise.all([ask(page, 'middling', door, true), ask(page, 'middling', door)]));
}

/** So many requests that are left after 0 to 50 ms; gives how many ended. */
function leave(page: RawPage, requests: number): Promise<number> {
  return page.evaluate(`(async () => {
    let ended = 0;
    for (let index = 0; index < ${requests}; index++) {
      const leaving = new AbortController();
      const send = index % 4 < 2 ? fetch : inference.fetch;
      const answer = send(inference.baseURL + '/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'left', stream: index % 2 === 0, messages: [{ role: 'user', content: 'Hi' }] }),
        signal: leaving.signal,
      }).then((response) => response.text()).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, index % 50));
      leaving.abort();
      await answer;
      ended += 1;
    }
    return ended;
  })()`);
}

it(
  `${STOPS} stopped Service Workers and ${ABORTS} requests that were left, beside a stream of ${STREAM_SECONDS} s`,
  async () => {
    await openTab(browser, OPTIONS);
    const guest = await openTab(browser, OPTIONS);
    // Its answer comes when the stream is over, which a command of the pipe must not wait for.
    await guest.evaluate(`void (window.long = (async () => {
      const body = JSON.stringify({ model: 'long', stream: true, messages: [{ role: 'user', content: 'Hi' }] });
      const headers = { 'content-type': 'application/json' };
      return (await inference.fetch(inference.baseURL + '/chat/completions', { method: 'POST', headers, body })).text();
    })().then((text) => (window.longText = text), (error) => (window.longText = String(error))))`);
    const throughWorker: Seen[] = [];
    const past: Seen[] = [];
    for (let stop = 0; stop < STOPS; stop++) {
      const [worker, direct] = await underWay(guest);
      await new Promise((resolve) => setTimeout(resolve, (stop * 37) % 400));
      await browser.stopServiceWorkers(guest);
      throughWorker.push(...((await worker) as Seen[]));
      past.push(...((await direct) as Seen[]));
      expect(endOf(await ask(guest))).toBe('whole');
    }
    for (let left = 0; left < ABORTS; left += 20) expect(await leave(guest, 20)).toBe(20);
    expect(await ask(guest, 'left')).toMatchObject({ status: 200 });
    console.warn('through the Service Worker', count(throughWorker), 'by inference.fetch', count(past));
    expect(count(throughWorker)).toMatchObject({ untyped: 0 });
    expect(count(past)).toEqual({ whole: 2 * STOPS, typed: 0, network: 0, untyped: 0 });
    await expect
      .poll(() => guest.evaluate('window.longText !== undefined'), { timeout: STREAM_SECONDS * 2_000, interval: 1_000 })
      .toBe(true);
    const text = await guest.evaluate<string>('window.longText');
    const words = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join('');
    expect(words.trimEnd().endsWith(` w${LENGTH - 1}`)).toBe(true);
    expect(text.endsWith('[DONE]\n\n')).toBe(true);
  },
  60 * 60_000,
);

it(
  `${CLOSED} hosts that were closed and ${CRASHED} that crashed, each with requests under way`,
  async () => {
    const tabs = [await openTab(browser, OPTIONS), await openTab(browser, OPTIONS)];
    const throughWorker: Seen[] = [];
    const past: Seen[] = [];
    for (let round = 0; round < CLOSED + CRASHED; round++) {
      const [host, guest] = tabs as [RawPage, RawPage];
      const running = await underWay(guest);
      await new Promise((resolve) => setTimeout(resolve, (round * 53) % 600));
      if (round % 2 === 0) await host.crash();
      await host.close();
      throughWorker.push(...((await running[0]) as Seen[]));
      past.push(...((await running[1]) as Seen[]));
      expect(endOf(await ask(guest))).toBe('whole');
      expect(endOf(await ask(guest, 'quick', 'inference.fetch'))).toBe('whole');
      tabs.shift();
      tabs.push(await openTab(browser, OPTIONS));
    }
    console.warn(
      'with a host that went, through the Service Worker',
      count(throughWorker),
      'by inference.fetch',
      count(past),
    );
    // A Service Worker may live in the process of the tab that crashes, and go with it.
    expect(count(throughWorker)).toMatchObject({ untyped: 0 });
    expect(count(past)).toMatchObject({ network: 0, untyped: 0 });
  },
  60 * 60_000,
);
