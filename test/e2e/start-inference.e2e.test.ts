import type { BrowserContext } from 'playwright';
import { describe, expect, it } from 'vitest';
import type { InferenceOptions } from '../../src/index.js';
import { ask, countingModel, openHost, startStream, streamEnd, workersOf } from './support/host-page.js';
import { withContexts } from './support/shared-chromium.js';

const MODELS = { models: [countingModel(5, 0, 'quick'), countingModel(2_000, 25, 'slow')] };

let context: BrowserContext;
withContexts((fresh) => (context = fresh));

describe('the page API', () => {
  it('loads a model ahead and tells its state', async () => {
    const page = await openHost(context, MODELS);
    const states = await page.evaluate(async () => {
      const read = (): string[] => window.inference?.status().map((model) => model.state) ?? [];
      const before = read();
      await window.inference?.load('quick');
      return { before, after: read() };
    });
    expect(states).toEqual({ before: ['absent', 'absent'], after: ['ready', 'absent'] });
  });

  it('[S24] unloads by ending the worker; the request it worked on is told, the next one loads again', async () => {
    const page = await openHost(context, MODELS);
    await startStream(page, 'slow');
    expect(await workersOf(page, 'model-worker')).toHaveLength(1);
    await page.evaluate(() => window.inference?.unload('slow'));
    await expect.poll(() => page.workers().filter((worker) => worker.url().includes('model-worker')).length).toBe(0);
    expect(JSON.parse((await streamEnd(page)).lastData)).toMatchObject({ error: { code: 'unavailable' } });
    await startStream(page, 'slow');
  });

  it('rejects with the engine’s error', async () => {
    const page = await openHost(context, MODELS);
    const error = await page.evaluate(() =>
      window.inference?.load('none').catch((thrown: { name: string; code: string; param: string }) => ({
        name: thrown.name,
        code: thrown.code,
        param: thrown.param,
      })),
    );
    expect(error).toEqual({ name: 'InferenceError', code: 'model_not_found', param: 'model' });
  });
});

describe('a start that cannot succeed says why', () => {
  it.each<[string, InferenceOptions, RegExp]>([
    ['a wrong option', { requestTimeout: -1 }, /`requestTimeout` must be/],
    ['an option that there is not', { model: [] } as InferenceOptions, /`model` is not .* Did you mean `models`\?/],
    [
      'a field that there is not, beside one that is missing',
      { models: [{ id: 'a', task: 'chat', backnd: 'scripted' } as never] },
      /`models\.0\.backnd` is not .* Did you mean `backend`\?/,
    ],
    [
      'a bundled model that has no files for the backend',
      { models: [{ id: 'tiny-embed', task: 'embeddings', backend: 'gguf' }] },
      /`models\.0\.source` must be .*: the bundled `tiny-embed` is of task embeddings, for backend transformers\./,
    ],
    [
      'a field of a script',
      { models: [{ ...countingModel(1, 0), script: { replies: [{ txt: 'Hi' }] } } as never] },
      /`models\.0\.script\.replies\.0\.txt` is not .* Did you mean `text`\?/,
    ],
    [
      'a Service Worker script that is not served',
      { serviceWorker: '/nowhere.js' },
      /\/nowhere\.js could not be registered: .*404.*`npx inpage init public`/,
    ],
  ])('%s', async (_, options, message) => {
    await expect(openHost(context, options)).rejects.toThrow(message);
  });

  it('a misspelt option keeps the Service Worker away that another spelling would have', async () => {
    await expect(openHost(context, { serviceworker: false } as InferenceOptions)).rejects.toThrow('`serviceWorker`?');
    expect(context.serviceWorkers()).toEqual([]);
  });

  it('a browser without Service Workers', async () => {
    await context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
    await expect(openHost(context, MODELS)).rejects.toThrow(/Pass `serviceWorker: false`/);
  });
});

describe('a browser without Service Workers and Web Locks', () => {
  it('is served by inference.fetch, one engine per tab', async () => {
    await context.addInitScript(() => {
      Reflect.deleteProperty(Navigator.prototype, 'serviceWorker');
      Reflect.deleteProperty(Navigator.prototype, 'locks');
    });
    const options = { ...MODELS, serviceWorker: false } as const;
    const pages = [await openHost(context, options), await openHost(context, options)];
    for (const page of pages) {
      expect((await ask(page, 'quick', 'inference.fetch')).status).toBe(200);
      expect(await workersOf(page, 'gateway-worker')).toHaveLength(1);
    }
  });
});

describe('a model worker', () => {
  it('[S25] makes at most one more token after the cancel reaches it, with a real model', async () => {
    const page = await openHost(context, { serviceWorker: false });
    await page.evaluate(() => window.inference?.load('tiny-chat'));
    const [worker] = await workersOf(page, 'model-worker');
    // The worker's own counts, also as they were when it was told to stop: the loop turns once after each token.
    await worker?.evaluate(() => {
      const counts = { turns: 0, sent: 0, atCancel: { turns: 0, sent: 0 } };
      Object.assign(globalThis, { counts });
      const { postMessage, addEventListener } = MessagePort.prototype;
      MessagePort.prototype.postMessage = function (
        this: MessagePort,
        message: { items?: unknown[] } | undefined,
        ...rest: never[]
      ) {
        if (message === undefined) counts.turns++;
        counts.sent += message?.items?.length ?? 0;
        return postMessage.call(this, message, ...rest);
      } as MessagePort['postMessage'];
      MessagePort.prototype.addEventListener = function (
        this: MessagePort,
        type: string,
        listener: EventListener,
        options?: object,
      ) {
        addEventListener.call(this, 'message', (event) => {
          if ((event as MessageEvent<{ type?: string }>).data?.type !== 'cancel') return;
          counts.atCancel = { turns: counts.turns, sent: counts.sent };
        });
        return addEventListener.call(this, type, listener, options);
      } as MessagePort['addEventListener'];
    });
    await page.evaluate(async () => {
      const abort = new AbortController();
      const response = await window.inference?.fetch(`${window.inference.baseURL}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({
          model: 'tiny-chat',
          stream: true,
          // The end of turn is forbidden, so that there is something to cancel however late the page reads.
          logit_bias: { 0: -100, 2: -100 },
          max_tokens: 1_500,
          messages: [{ role: 'user', content: 'Tell me a long story about the sea.' }],
        }),
        signal: abort.signal,
      });
      const reader = response?.body?.getReader();
      for (let chunk = 0; chunk < 3; chunk++) await reader?.read();
      abort.abort();
    });
    type Counts = Record<'turns' | 'sent', number>;
    const read = async (): Promise<Counts & { atCancel: Counts }> =>
      worker!.evaluate(() => (globalThis as never as { counts: Counts & { atCancel: Counts } }).counts);
    await expect.poll(async () => (await read()).atCancel.sent).toBeGreaterThan(0);
    const atCancel = (await read()).atCancel;
    await new Promise((resolve) => setTimeout(resolve, 200));
    const counts = await read();
    expect(counts.atCancel).toEqual(atCancel);
    expect(counts.turns - atCancel.turns).toBeLessThanOrEqual(1);
    expect(counts.sent).toBe(atCancel.sent);
    expect((await ask(page, 'tiny-chat', 'inference.fetch')).status).toBe(200);
  });
});

it('no workers are left after stop', async () => {
  const page = await openHost(context, MODELS);
  await ask(page, 'quick');
  await page.evaluate(() => window.inference?.stop());
  await expect.poll(() => page.workers().length).toBe(0);
});
