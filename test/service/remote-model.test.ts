import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { scriptedBackend } from '../../src/engines/scripted/scripted-backend.js';
import type { Backend, LoadedModel, ModelInfo } from '../../src/core/models/backend.js';
import { InferenceError } from '../../src/core/errors/inference-error.js';
import type { TokenEvent } from '../../src/core/events/token-event.js';
import type { LoadProgress, ModelEntry } from '../../src/core/models/model-entry.js';
import { type CallTiming, MODEL_TIMING } from '../../src/relay/stream/call-timing.js';
import { loadRemoteModel } from '../../src/service/remote-model.js';
import type { LoadedFacts, ModelControl } from '../../src/relay/protocol.js';
import { serveControl } from '../../src/relay/control/control-channel.js';
import { openPorts } from '../support/open-ports.js';
import { serveModel } from '../../src/engines/worker/serve-model.js';
import { plainGenerationRequest } from '../../src/core/request/generation-request.js';

const ENTRY: ModelEntry = {
  id: 'm',
  task: 'chat',
  backend: 'scripted',
  script: { replies: [{ text: 'word ', repeat: 200 }], tokenDelayMs: 1 },
};
const REQUEST = plainGenerationRequest('m', {
  type: 'chat',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
});

afterEach(() => void vi.unstubAllGlobals());

/** Half a second of silence is too much. */
const TIMING: CallTiming = { ...MODEL_TIMING, beat: 50, silentBeats: 10 };

/** A model behind a real port, as in a worker; `made` counts the events that the engine itself produced. */
async function remote(backend: Backend = scriptedBackend) {
  const { port1, port2 } = new MessageChannel();
  const counts = { made: 0, ended: 0 };
  const progress: LoadProgress[] = [];
  serveModel(port2, async () => ({
    async load(entry, options) {
      const model = await backend.load(entry, options);
      options.onProgress({ model: entry.id, loadedBytes: 1, totalBytes: 1, stage: 'initialize' });
      return {
        ...model,
        generate: (...call: Parameters<NonNullable<LoadedModel['generate']>>) => counted(model, call, counts),
      };
    },
  }));
  const end = (): void => {
    counts.ended += 1;
    port2.close();
  };
  const model = await loadRemoteModel(
    { port: port1, lifeline: undefined, end },
    { entry: ENTRY, options: { assetsURL: 'http://localhost/inpage/', pageURL: 'http://localhost/' } },
    { onProgress: (report) => progress.push(report), signal: new AbortController().signal, timing: TIMING },
  );
  return { model, counts, progress, end };
}

/** A model that loads, and then answers no call; `port` is its worker's end. */
async function mute(timing: CallTiming) {
  const { port1, port2: port } = new MessageChannel();
  const counts = { ended: 0 };
  const info = { device: 'wasm', threads: 1 } as ModelInfo;
  const load = (): LoadedFacts => ({ info, methods: ['generate'] });
  serveControl({ load, lost: () => new Promise(() => {}) }, port);
  const model = await loadRemoteModel(
    { port: port1, lifeline: undefined, end: () => (counts.ended += 1) },
    { entry: ENTRY, options: { assetsURL: 'http://localhost/inpage/', pageURL: 'http://localhost/' } },
    { onProgress: () => {}, signal: new AbortController().signal, timing },
  );
  return { model, port, counts };
}

async function* counted(
  model: LoadedModel,
  call: Parameters<NonNullable<LoadedModel['generate']>>,
  counts: { made: number },
): AsyncGenerator<readonly TokenEvent[]> {
  for await (const event of model.generate!(...call)) {
    counts.made += 1;
    yield event;
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('a model in another realm', () => {
  it('knows what the model knows, and reports its loading', async () => {
    const { model, progress, end } = await remote();
    expect(model.info.contextLength).toBeGreaterThan(0);
    expect(progress.at(-1)?.stage).toBe('initialize');
    expect(model.generate).toBeDefined();
    end();
  });

  it('has reported all of its loading when it is loaded', async () => {
    const count = 50;
    const { progress, end } = await remote({
      async load(entry, options) {
        for (let loadedBytes = 0; loadedBytes < count; loadedBytes++) {
          options.onProgress({ model: entry.id, loadedBytes, totalBytes: count, stage: 'download' });
        }
        return scriptedBackend.load(entry, options);
      },
    });
    const reports = progress.filter(({ stage }) => stage === 'download');
    expect(reports.map(({ loadedBytes }) => loadedBytes)).toEqual(Array.from({ length: count }, (_, index) => index));
    expect(progress.at(-1)?.stage).toBe('initialize');
    end();
  });

  describe('that loads', () => {
    /** Passes time in both realms, with turns in which messages arrive. */
    async function pass(milliseconds: number): Promise<void> {
      for (let step = 0; step < milliseconds; step += 5_000) {
        vi.advanceTimersByTime(5_000);
        for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const timing: CallTiming = MODEL_TIMING;
    const argument = { entry: ENTRY, options: { assetsURL: 'http://localhost/', pageURL: 'http://localhost/' } };

    it('and computes without end is ended, and the error says what may be the reason', async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      onTestFinished(() => void vi.useRealTimers());
      // A realm that computes receives no message and sends none.
      const { port1, port2 } = new MessageChannel();
      let ended = 0;
      const end = (): void => {
        ended += 1;
        port2.close();
      };
      const options = { onProgress() {}, signal: new AbortController().signal, timing };
      const loading = loadRemoteModel({ port: port1, lifeline: undefined, end }, argument, options);
      const failure = loading.catch((error: InferenceError) => error);
      await pass(40_000);
      expect(await failure).toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/`m` could not be loaded.*30 seconds without responding.*tokenizer/),
      });
      expect(ended).toBe(1);
    });

    it.each([
      ['for a long time, but responds', 600_000],
      ['two gigabytes in one go', 80_000],
    ])('%s is not ended', async (name, milliseconds) => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      onTestFinished(() => void vi.useRealTimers());
      const { port1, port2 } = new MessageChannel();
      let load = (): void => {};
      const loaded = new Promise<void>((resolve) => (load = resolve));
      const progress: LoadProgress = {
        model: 'm',
        file: 'weights',
        loadedBytes: 0,
        totalBytes: 2e9,
        stage: 'download',
      };
      const silent: Partial<ModelControl> = {
        async load(_, report) {
          await report(progress);
          await loaded;
          return { info: { contextLength: 1 } as ModelInfo, methods: [] };
        },
        lost: () => new Promise(() => {}),
      };
      if (name.startsWith('two')) serveControl(silent, port2);
      else
        serveModel(port2, async () => ({
          async load(entry, options) {
            await loaded;
            return scriptedBackend.load(entry, options);
          },
        }));
      const options = { onProgress() {}, signal: new AbortController().signal, timing };
      const loading = loadRemoteModel({ port: port1, lifeline: undefined, end() {} }, argument, options);
      await pass(milliseconds);
      load();
      expect((await loading).info.contextLength).toBeGreaterThan(0);
    });
  });

  it('leaves no port open when it is unloaded', async () => {
    const open = openPorts();
    const { model } = await remote();
    await model.countTokens!(REQUEST, new AbortController().signal);
    expect(open.made()).toBeGreaterThan(4);
    await model.unload();
    // The callee of a call keeps its port for a second.
    await expect.poll(open.count).toBe(0);
  });

  it('generates the same events as the model itself', async () => {
    const { model, end } = await remote();
    const options = {
      onProgress() {},
      signal: new AbortController().signal,
      assetsURL: 'http://localhost/',
      pageURL: 'http://localhost/',
    };
    const direct = await scriptedBackend.load(ENTRY, options);
    const { signal } = new AbortController();
    const [there, here] = await Promise.all([
      collect(model.generate!(REQUEST, signal)),
      collect(direct.generate!(REQUEST, signal)),
    ]);
    expect(there.flat()).toEqual(here.flat());
    expect(await model.countTokens!(REQUEST, signal)).toBe(await direct.countTokens!(REQUEST, signal));
    end();
  });

  it('[S25] stops within one token of an abort, and is free for the next request', async () => {
    const { model, counts, end } = await remote();
    const controller = new AbortController();
    const events = model.generate!(REQUEST, controller.signal)[Symbol.asyncIterator]();
    for (let index = 0; index < 4; index++) await events.next(); // the prompt, and four messages with tokens
    const before = counts.made;
    controller.abort();
    await expect(events.next()).rejects.toMatchObject({ code: 'cancelled' });
    expect(counts.made - before).toBeLessThanOrEqual(1);
    expect(await collect(model.generate!(REQUEST, new AbortController().signal))).not.toHaveLength(0);
    end();
  });

  it('is lost when the engine says so, and keeps the reason', async () => {
    const lost = new InferenceError('unavailable', 'The GPU device was lost.', { retryAfter: 3 });
    const { model, end } = await remote({
      load: async (entry, options) => ({
        ...(await scriptedBackend.load(entry, options)),
        lost: Promise.resolve(lost),
      }),
    });
    expect(await model.lost).toMatchObject({
      code: 'unavailable',
      message: 'The GPU device was lost.',
      details: { retryAfter: 3 },
    });
    end();
  });

  it('ends its worker with unload', async () => {
    const { model, counts } = await remote();
    await model.unload();
    expect(counts.ended).toBe(1);
    expect((await model.lost).code).toBe('unavailable');
  });

  it('ends a worker that hangs when it is told to unload, without waiting for it to stop', async () => {
    const { model, counts } = await remote({
      load: async (entry, options) => ({
        ...(await scriptedBackend.load(entry, options)),
        unload: () => new Promise(() => {}),
      }),
    });
    await model.unload();
    expect(counts.ended).toBe(1);
  }, 15_000);

  it('ends a worker that falls silent while it answers', async () => {
    const { model, port, counts } = await mute(TIMING);
    await expect(collect(model.generate!(REQUEST, new AbortController().signal))).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect((await model.lost).code).toBe('unavailable');
    expect(counts.ended).toBe(1);
    port.close();
  });

  it('is lost with the first call that is cut off, whatever its worker still says', async () => {
    const { model, port, counts } = await mute(MODEL_TIMING);
    port.addEventListener('message', ({ ports: [call] }: MessageEvent) => call?.close());
    await expect(collect(model.generate!(REQUEST, new AbortController().signal))).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect((await model.lost).code).toBe('unavailable');
    expect(counts.ended).toBe(1);
    port.close();
  });

  it('ends its worker when loading fails, and passes the error on', async () => {
    const failing: Backend = {
      load: () => Promise.reject(new InferenceError('insufficient_resources', 'Too big.', { param: 'model' })),
    };
    await expect(remote(failing)).rejects.toMatchObject({
      code: 'insufficient_resources',
      message: 'Too big.',
      param: 'model',
    });
  });
});

it('a reason for not loading crosses the port, as details and as cause', async () => {
  const failing: Backend = {
    load: () =>
      Promise.reject(
        new InferenceError('unavailable', 'It could not be loaded.', { reason: 'No such file.', httpStatus: 404 }),
      ),
  };
  await expect(remote(failing)).rejects.toMatchObject({
    details: { reason: 'No such file.', httpStatus: 404 },
    cause: 'No such file.',
  });
});
