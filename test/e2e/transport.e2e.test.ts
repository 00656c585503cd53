import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import {
  abortStream,
  ask,
  countingModel,
  type Door,
  kill,
  newContext,
  openHost,
  started,
  startStream,
  stopServiceWorkers,
  streamEnd,
  type StreamState,
  takeServerLog,
  workersOf,
} from './support/host-page.js';
import { launchChromium } from './support/launch-chromium.js';

const QUICK = countingModel(5, 0, 'quick');
/** Runs for longer than any test waits, so that a second answer of it proves that the first was really stopped. */
const SLOW = countingModel(2_000, 25, 'slow');
const MODELS = { models: [QUICK, SLOW] };
const UNAVAILABLE = { status: 503, text: 'Service Temporarily Unavailable' };
const ANSWER = 'w0 w1 w2 w3 w4';

let browser: Browser;
let context: BrowserContext;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
  context = await newContext(browser);
  await takeServerLog();
});
afterEach(async () => {
  await context.close();
  // The promise of the house: nothing of /v1 ever reaches the network.
  expect((await takeServerLog()).filter((line) => line.includes('/v1'))).toEqual([]);
});

async function expectServed(page: Page, door?: Door): Promise<void> {
  const { status, text } = await ask(page, 'quick', door);
  expect([status, text]).toEqual([200, expect.stringContaining(ANSWER) as string]);
}

/** The broken stream told its reader so: an error event, not just an end. */
function expectErrorEvent({ text, lastData, error }: StreamState): void {
  expect(text).toContain('w2 ');
  expect(error).toBeUndefined();
  expect(JSON.parse(lastData)).toMatchObject({ error: { code: 'unavailable' } });
}

describe('the doors', () => {
  it('[X19] the Service Worker answers fetch and XMLHttpRequest below the base', async () => {
    const page = await openHost(context, MODELS);
    expect(await page.evaluate(() => window.inference?.baseURL)).toBe(`${inject('demoOrigin')}/v1`);
    await expectServed(page);
    const list = await page.evaluate(
      async () => (await (await fetch('/v1/models')).json()) as { data: { id: string }[] },
    );
    expect(list.data.map((model) => model.id)).toEqual(['quick', 'slow']);
  });

  it('[X20] inference.fetch answers without any Service Worker', async () => {
    const page = await openHost(context, { ...MODELS, serviceWorker: false });
    expect(context.serviceWorkers()).toHaveLength(0);
    await expectServed(page, 'inference.fetch');
    await startStream(page, 'slow', 'inference.fetch');
    await abortStream(page);
    await expectServed(page, 'inference.fetch');
  });

  it('[X21] [X22] answers intercepted bases and leaves other paths to the network', async () => {
    await context.close();
    // An app that calls another origin allows it in its policy; the demo's own policy does not.
    context = await browser.newContext({ bypassCSP: true });
    const page = await openHost(context, { ...MODELS, intercept: ['https://api.openai.com/v1'] });
    const seen = await page.evaluate(async () => {
      const paths = ['/v2/models', '/other', '/v'];
      const own = await Promise.all(paths.map(async (path) => (await fetch(path)).status));
      const intercepted = (await (await fetch('https://api.openai.com/v1/models')).json()) as { data: unknown[] };
      const viaFetch = (await (await window.inference?.fetch('https://api.openai.com/v1/models'))?.json()) as {
        data: unknown[];
      };
      return { own, intercepted: intercepted.data.length, viaFetch: viaFetch.data.length };
    });
    expect(seen).toEqual({ own: [404, 404, 404], intercepted: 2, viaFetch: 2 });
    expect(await takeServerLog()).toEqual(expect.arrayContaining(['GET /v2/models', 'GET /other', 'GET /v']));
  });

  it('follow another prefix', async () => {
    const page = await openHost(context, { ...MODELS, prefix: '/ai/v1' });
    await expectServed(page);
    await expectServed(page, 'inference.fetch');
  });

  it('keep working when the page is loaded past its Service Worker (hard reload)', async () => {
    const page = await openHost(context, MODELS);
    const session = await context.newCDPSession(page);
    await session.send('Page.reload', { ignoreCache: true });
    await page.waitForLoadState();
    await started(page);
    await expectServed(page);
  });
});

describe('cancelling', () => {
  it.each(['service-worker', 'inference.fetch'] as const)('[S25] by the caller frees the engine (%s)', async (door) => {
    const page = await openHost(context, MODELS);
    await startStream(page, 'slow', door);
    await abortStream(page);
    expect((await streamEnd(page)).error).toContain('AbortError');
    await startStream(page, 'slow', door);
    await abortStream(page);
  });

  it('happens by itself when the page is reloaded while a stream runs', async () => {
    const page = await openHost(context, MODELS);
    await startStream(page, 'slow');
    await page.reload();
    await started(page);
    await expectServed(page);
    await startStream(page, 'slow');
  });

  it('happens by itself when a guest tab is closed while its stream runs', async () => {
    const host = await openHost(context, MODELS);
    const guest = await openHost(context, MODELS);
    await startStream(guest, 'slow');
    await guest.close();
    await startStream(host, 'slow');
  });
});

describe('a Service Worker that is stopped', () => {
  it('between two requests is started again and finds the engine', async () => {
    const page = await openHost(context, MODELS);
    await expectServed(page);
    await stopServiceWorkers(page);
    await expectServed(page);
  });

  it('during a request breaks that one, frees the engine, and the next is served', async () => {
    const page = await openHost(context, MODELS);
    await startStream(page, 'slow');
    await stopServiceWorkers(page);
    expect((await streamEnd(page)).error).toBeDefined();
    await startStream(page, 'slow');
    await expectServed(page);
  });
});

describe('a worker that dies', () => {
  it('[S24] a model worker: the stream ends with an error event, the next request is served', async () => {
    const page = await openHost(context, MODELS);
    await startStream(page, 'slow');
    for (const worker of await workersOf(page, 'model-worker')) await kill(worker);
    expectErrorEvent(await streamEnd(page));
    await startStream(page, 'slow');
    await abortStream(page);
    await expectServed(page);
  });

  it.each(['service-worker', 'inference.fetch'] as const)(
    '[S24] the gateway: the stream ends with an error event, a new gateway serves the next request (%s)',
    async (door) => {
      const page = await openHost(context, MODELS);
      await startStream(page, 'slow', door);
      for (const worker of await workersOf(page, 'gateway-worker')) await kill(worker);
      expectErrorEvent(await streamEnd(page));
      await expectServed(page, door);
    },
  );

  it('[X17] the gateway: a request that waits for its answer gets 503', async () => {
    const page = await openHost(context, MODELS);
    const answer = ask(page, 'slow');
    await page.waitForFunction(() => window.inference?.status().some((model) => model.state !== 'absent'));
    for (const worker of await workersOf(page, 'gateway-worker')) await kill(worker);
    expect(await answer).toEqual(UNAVAILABLE);
    await expectServed(page);
  });
});

describe('several tabs', () => {
  it('share one engine', async () => {
    const first = await openHost(context, MODELS);
    const second = await openHost(context, MODELS);
    await expectServed(first);
    await expectServed(second);
    await expectServed(second, 'inference.fetch');
    await second.evaluate(() => window.inference?.load('slow'));
    expect(await second.evaluate(() => window.inference?.status().map((model) => model.state))).toEqual([
      'ready',
      'ready',
    ]);
    expect(first.workers()).toHaveLength(3);
    expect(second.workers()).toHaveLength(0);
  });

  it('the next in line takes over when the host closes with a request under way', async () => {
    const host = await openHost(context, MODELS);
    const guest = await openHost(context, MODELS);
    await startStream(guest, 'slow');
    await host.close();
    expectErrorEvent(await streamEnd(guest));
    await expectServed(guest);
    await expectServed(guest, 'inference.fetch');
    expect((await workersOf(guest, 'gateway-worker')).length).toBe(1);
  });

  it('with other options have an engine of their own', async () => {
    const first = await openHost(context, MODELS);
    const second = await openHost(context, { models: [countingModel(3, 0, 'other')] });
    expect((await ask(second, 'other')).status).toBe(200);
    expect((await ask(second, 'quick')).status).toBe(404);
    await expectServed(first);
  });

  it('a page without Inpage is served by the tab that hosts', async () => {
    await openHost(context, MODELS);
    const plain = await context.newPage();
    await plain.goto(`${inject('demoOrigin')}/models/tiny-chat/config.json`);
    const status = await plain.evaluate(async () => (await fetch('/v1/models')).status);
    expect(status).toBe(200);
  });
});

describe('no engine', () => {
  it('[X17] makes a 503, never a request to the network', async () => {
    const page = await openHost(context, MODELS);
    await page.evaluate(() => window.inference?.stop());
    expect(await ask(page, 'quick')).toEqual(UNAVAILABLE);
    expect(page.workers()).toHaveLength(0);
  });
});
