import type { BrowserContext } from 'playwright';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  abortStream,
  ask,
  countingModel,
  kill,
  makePatient,
  openHost,
  requireNothingLeaked,
  started,
  startStream,
  stateOf,
  stopServiceWorkers,
  streamEnd,
  takeServerLog,
  workersOf,
} from './support/host-page.js';
import type { PromptMessage } from '../../src/engines/built-in/language-model.js';
import { createLanguageModel } from '../support/language-model.js';
import { withContexts } from './support/shared-chromium.js';
import { demoOrigin } from './support/demo-origin.js';

const QUICK = countingModel(5, 0, 'quick');
/** Runs for longer than any test waits, so that it is only free when its answer was really stopped. */
const SLOW = countingModel(2_000, 25, 'slow');
/** Ends while a test waits, and is long enough to be broken in the middle. */
const SHORT = countingModel(80, 25, 'short');
const MODELS = { models: [QUICK, SLOW, SHORT] };
const UNAVAILABLE = { status: 503, text: 'Service Temporarily Unavailable' };
const ANSWER = 'w0 w1 w2 w3 w4';

let context: BrowserContext;
withContexts(async (fresh) => {
  context = fresh;
  await takeServerLog();
}, requireNothingLeaked);

/** What a working service answers. */
const SERVED = { status: 200, text: expect.stringContaining(ANSWER) as string };

/** A stream whose reader has noticed nothing. */
const WHOLE = {
  text: Array.from({ length: 80 }, (_, word) => `w${word} `).join(''),
  lastData: '[DONE]',
  error: undefined,
};

describe('the doors', () => {
  it('[X19] the Service Worker answers fetch and XMLHttpRequest below the base', async () => {
    const page = await openHost(context, MODELS);
    expect(await page.evaluate(() => window.inference?.baseURL)).toBe(`${demoOrigin()}/v1`);
    expect(await ask(page, 'quick')).toEqual(SERVED);
    const list = await page.evaluate(
      async () => (await (await fetch('/v1/models')).json()) as { data: { id: string }[] },
    );
    expect(list.data.map((model) => model.id)).toEqual(['quick', 'slow', 'short']);
    const status = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const request = new XMLHttpRequest();
          request.onloadend = () => resolve(request.status);
          request.open('GET', '/v1/models/quick');
          request.send();
        }),
    );
    expect(status).toBe(200);
  });

  it('[X20] inference.fetch answers without any Service Worker', async () => {
    const page = await openHost(context, { ...MODELS, serviceWorker: false });
    expect(context.serviceWorkers()).toHaveLength(0);
    expect(await ask(page, 'quick', 'inference.fetch')).toEqual(SERVED);
    await startStream(page, 'slow', 'inference.fetch');
    await abortStream(page);
    expect(await ask(page, 'quick', 'inference.fetch')).toEqual(SERVED);
  });

  it('[X21] [X22] answers intercepted bases and leaves other paths to the network', async () => {
    // An app that calls another origin allows it in its policy; the demo's own policy does not.
    const lenient = await context.browser()!.newContext({ bypassCSP: true });
    onTestFinished(() => lenient.close());
    const page = await openHost(lenient, { ...MODELS, intercept: ['https://api.openai.com/v1'] });
    const seen = await page.evaluate(async () => {
      const paths = ['/v2/models', '/other', '/v'];
      const own = await Promise.all(paths.map(async (path) => (await fetch(path)).status));
      const intercepted = (await (await fetch('https://api.openai.com/v1/models')).json()) as { data: unknown[] };
      const viaFetch = (await (await window.inference?.fetch('https://api.openai.com/v1/models'))?.json()) as {
        data: unknown[];
      };
      return { own, intercepted: intercepted.data.length, viaFetch: viaFetch.data.length };
    });
    expect(seen).toEqual({ own: [404, 404, 404], intercepted: 3, viaFetch: 3 });
    expect(await takeServerLog()).toEqual(expect.arrayContaining(['GET /v2/models', 'GET /other', 'GET /v']));
  });

  it('follow another prefix', async () => {
    const page = await openHost(context, { ...MODELS, prefix: '/ai/v1' });
    expect(await ask(page, 'quick')).toEqual(SERVED);
    expect(await ask(page, 'quick', 'inference.fetch')).toEqual(SERVED);
  });

  it('keep working when the page is loaded past its Service Worker (hard reload)', async () => {
    const page = await openHost(context, MODELS);
    const session = await context.newCDPSession(page);
    const reloaded = page.waitForEvent('load');
    await session.send('Page.reload', { ignoreCache: true });
    await reloaded;
    await started(page);
    expect(await ask(page, 'quick')).toEqual(SERVED);
  });
});

describe('cancelling', () => {
  it.each(['service-worker', 'inference.fetch'] as const)('[S25] by the caller frees the engine (%s)', async (door) => {
    const page = await openHost(context, MODELS);
    await startStream(page, 'slow', door);
    await abortStream(page);
    expect((await streamEnd(page)).error).toContain('AbortError');
    await expect.poll(() => stateOf(page, 'slow')).toBe('ready');
  });

  it('happens by itself when the page is reloaded while a stream runs', async () => {
    const page = await openHost(context, MODELS);
    await startStream(page, 'slow');
    await page.reload();
    await started(page);
    expect(await ask(page, 'quick')).toEqual(SERVED);
    await startStream(page, 'slow');
  });

  it('happens by itself when a guest tab is closed while its stream runs', async () => {
    const host = await openHost(context, MODELS);
    const guest = await openHost(context, MODELS);
    await startStream(guest, 'slow');
    await guest.close();
    await expect.poll(() => stateOf(host, 'slow'), { timeout: 30_000 }).toBe('ready');
    expect(await ask(host, 'quick')).toEqual(SERVED);
  });
});

describe('a plain fetch that does not stream', () => {
  it.each(['is closed', 'navigates'])('is canceled when its page %s', async (leaves) => {
    const host = await openHost(context, MODELS);
    const guest = await openHost(context, MODELS);
    const body = JSON.stringify({ model: 'slow', messages: [{ role: 'user', content: 'Hi' }] });
    await guest.evaluate((text) => {
      void fetch('/v1/chat/completions', { method: 'POST', body: text }).catch(() => {});
    }, body);
    const state = (): Promise<string | undefined> => stateOf(host, 'slow');
    await expect.poll(state).toBe('busy');
    if (leaves === 'is closed') await guest.close();
    else await guest.goto('about:blank');
    await expect.poll(state, { timeout: 30_000 }).toBe('ready');
  });
});

describe('a Service Worker that is stopped', () => {
  it('between two requests is started again and finds the engine', async () => {
    const page = await openHost(context, MODELS);
    expect(await ask(page, 'quick')).toEqual(SERVED);
    await stopServiceWorkers(page);
    expect(await ask(page, 'quick')).toEqual(SERVED);
  });

  it('during a request breaks that one, frees the engine, and the next is served', async () => {
    const page = await openHost(context, MODELS);
    await startStream(page, 'slow');
    await stopServiceWorkers(page);
    expect((await streamEnd(page)).error).toBeDefined();
    await expect.poll(() => stateOf(page, 'slow'), { timeout: 30_000 }).toBe('ready');
    expect(await ask(page, 'quick')).toEqual(SERVED);
  });
});

describe('a worker that dies', () => {
  it('a model worker: the stream goes on in the next, the next request is served', async () => {
    const page = await openHost(context, MODELS);
    await startStream(page, 'short');
    for (const worker of await workersOf(page, 'model-worker')) await kill(worker);
    expect(await streamEnd(page)).toMatchObject(WHOLE);
    await startStream(page, 'slow');
    await abortStream(page);
    expect(await ask(page, 'quick')).toEqual(SERVED);
  });

  it.each(['service-worker', 'inference.fetch'] as const)(
    'the gateway: the stream goes on in the next, which serves the next request, too (%s)',
    async (door) => {
      const page = await openHost(context, MODELS);
      await startStream(page, 'short', door);
      for (const worker of await workersOf(page, 'gateway-worker')) await kill(worker);
      expect(await streamEnd(page)).toMatchObject(WHOLE);
      expect(await ask(page, 'quick', door)).toEqual(SERVED);
    },
  );

  it('[X17] the gateway: a request that a model works on gets 503', async () => {
    const page = await openHost(context, MODELS);
    const answer = ask(page, 'slow');
    await page.waitForFunction(() => window.inference?.status().some((model) => model.state === 'busy'));
    for (const worker of await workersOf(page, 'gateway-worker')) await kill(worker);
    expect(await answer).toEqual(UNAVAILABLE);
    expect(await ask(page, 'quick')).toEqual(SERVED);
  });
});

describe('several tabs', () => {
  it('share one engine', async () => {
    const first = await openHost(context, MODELS);
    const second = await openHost(context, MODELS);
    expect(await ask(first, 'quick')).toEqual(SERVED);
    expect(await ask(second, 'quick')).toEqual(SERVED);
    expect(await ask(second, 'quick', 'inference.fetch')).toEqual(SERVED);
    await second.evaluate(() => window.inference?.load('slow'));
    expect(await second.evaluate(() => window.inference?.status().map((model) => model.state))).toEqual([
      'ready',
      'ready',
      'absent',
    ]);
    expect(first.workers()).toHaveLength(3);
    expect(second.workers()).toHaveLength(0);
  });

  it('the next in line takes over when the host closes with a request under way, and goes on with it', async () => {
    const host = await openHost(context, MODELS);
    const guest = await openHost(context, MODELS);
    await startStream(guest, 'short');
    await host.close();
    expect(await streamEnd(guest)).toMatchObject(WHOLE);
    expect(await ask(guest, 'quick')).toEqual(SERVED);
    expect(await ask(guest, 'quick', 'inference.fetch')).toEqual(SERVED);
    expect((await workersOf(guest, 'gateway-worker')).length).toBe(1);
  });

  it('leave requests that no model works on yet to the next host', async () => {
    // A model that answers one request after another.
    const reply = (turns: readonly PromptMessage[]): string =>
      turns.at(-1)!.content === 'A long answer.' ? 'word '.repeat(200_000) : 'w0 w1 w2 w3 w4';
    await context.addInitScript(
      `const standIn = (${createLanguageModel.toString()})({ reply: ${reply.toString()}, window: 5000 });
       Object.defineProperty(globalThis, 'LanguageModel', { value: standIn.factory, configurable: true });`,
    );
    const options = { models: [{ id: 'either', task: 'chat', backend: 'built-in' } as const] };
    const host = await openHost(context, options);
    const guest = await openHost(context, options);
    const running = guest.evaluate(async () => {
      const messages = [{ role: 'user', content: 'A long answer.' }];
      const body = JSON.stringify({ model: 'either', messages });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch('/v1/chat/completions', { method: 'POST', headers, body });
      return { status: response.status, text: await response.text() };
    });
    const state = (): Promise<{ state: string; queued?: number } | undefined> =>
      guest.evaluate(() => window.inference?.status()[0]);
    await expect.poll(async () => (await state())?.state).toBe('busy');
    const waiting = (['service-worker', 'inference.fetch'] as const).map((door) => ask(guest, 'either', door));
    await expect.poll(async () => (await state())?.queued).toBe(2);
    await host.close();
    expect(await running).toEqual(UNAVAILABLE);
    for (const answer of await Promise.all(waiting)) expect(answer).toEqual(SERVED);
  });

  it('with other options have an engine of their own', async () => {
    const first = await openHost(context, MODELS);
    const second = await openHost(context, { models: [countingModel(3, 0, 'other')] });
    expect((await ask(second, 'other')).status).toBe(200);
    expect((await ask(second, 'quick')).status).toBe(404);
    expect(await ask(first, 'quick')).toEqual(SERVED);
  });

  it('with other options never answer for a tab that is busy', async () => {
    const first = await openHost(context, MODELS);
    await openHost(context, { models: [countingModel(3, 0, 'other')] });
    const status = await first.evaluate(async () => {
      const response = fetch('/v1/models/quick');
      for (const end = performance.now() + 1_500; performance.now() < end;);
      return (await response).status;
    });
    expect(status).toBe(200);
  });

  it('a page without Inpage is served by the tab that hosts, which is looked for once', async () => {
    const host = await openHost(context, MODELS);
    for (const worker of context.serviceWorkers()) await makePatient(worker);
    await host.evaluate(() => {
      const searches: string[] = [];
      Object.assign(window, { searches });
      navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ inpage?: string }>) => {
        if (data.inpage === 'connect') searches.push(data.inpage);
      });
    });
    const plain = await context.newPage();
    await plain.goto(`${demoOrigin()}/models/tiny-chat/config.json`);
    for (let request = 0; request < 3; request++) {
      expect(await plain.evaluate(async () => (await fetch('/v1/models')).status)).toBe(200);
    }
    expect(await host.evaluate(() => (window as unknown as { searches: string[] }).searches)).toEqual(['connect']);
  });
});

describe('no engine', () => {
  it('[X17] makes a 503, never a request to the network', async () => {
    const page = await openHost(context, MODELS);
    await page.evaluate(() => window.inference?.stop());
    expect(await ask(page, 'quick')).toEqual(UNAVAILABLE);
    await expect.poll(() => page.workers()).toHaveLength(0);
  });
});
