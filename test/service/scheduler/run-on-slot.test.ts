import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LoadedModel } from '../../../src/core/models/backend.js';
import { InferenceError } from '../../../src/core/errors/inference-error.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { ModelHost } from '../../../src/service/scheduler/model-host.js';
import { ModelSlot } from '../../../src/service/scheduler/model-slot.js';
import { ItemReader, runOnSlot, type SlotRun } from '../../../src/service/scheduler/run-on-slot.js';

const entry: ModelEntry = { id: 'm', task: 'chat', backend: 'scripted' };
const info = { device: 'none', threads: 1, contextLength: 10, images: false } as LoadedModel['info'];

/** A host whose models can be killed, and that counts what it started and ended. */
function killableHost() {
  const kills: (() => void)[] = [];
  let unloaded = 0;
  const host: ModelHost = {
    async start() {
      let kill!: (error: InferenceError) => void;
      const lost = new Promise<InferenceError>((resolve) => (kill = resolve));
      kills.push(() => kill(new InferenceError('unavailable', 'The engine died.')));
      return { info, lost, unload: async () => void unloaded++ };
    },
  };
  return { host, kills, unloaded: () => unloaded };
}

async function* count(to: number, signal: AbortSignal): AsyncGenerator<number> {
  for (let i = 1; i <= to; i++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (signal.aborted) throw signal.reason;
    yield i;
  }
}

const start = (_: LoadedModel, signal: AbortSignal) => count(3, signal);
/** Seconds and signal that end a run early. */
interface Limits {
  seconds: number;
  signal: AbortSignal;
}
const calm = (): Limits => ({ seconds: 60, signal: new AbortController().signal });

const run = <T>(
  slot: ModelSlot,
  work: Pick<SlotRun<T>, 'start' | 'exclusive'>,
  { seconds, signal }: Limits,
): AsyncGenerator<T, void> =>
  runOnSlot<T>(seconds, { signal, deadline: 'result' }, async () => ({
    slot,
    run: { ...work, createReader: () => new ItemReader<T>() },
  }));

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

afterEach(() => vi.useRealTimers());

describe('runOnSlot', () => {
  it('loads once for all who come, and runs them one after another', async () => {
    const { host, kills } = killableHost();
    const slot = new ModelSlot(entry, host, () => {});
    const runs = [1, 2, 3].map(() => collect(run(slot, { start, exclusive: true }, calm())));
    expect(await Promise.all(runs)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(kills).toHaveLength(1);
    expect(slot.idle).toBe(true);
  });

  it('tries again on a fresh engine when the engine dies before the first item', async () => {
    const { host, kills } = killableHost();
    const slot = new ModelSlot(entry, host, () => {});
    let starts = 0;
    const dying = (_: LoadedModel, signal: AbortSignal): AsyncIterable<number> => {
      if (++starts === 1) kills[0]?.();
      return count(3, signal);
    };
    expect(await collect(run(slot, { start: dying, exclusive: true }, calm()))).toEqual([1, 2, 3]);
    expect(kills).toHaveLength(2);
  });

  it('tries again on a fresh engine when the call ends before it is known that the engine is lost', async () => {
    const { host, kills } = killableHost();
    const slot = new ModelSlot(entry, host, () => {});
    const dying = async function* (_: LoadedModel, signal: AbortSignal): AsyncGenerator<number> {
      // What says that the engine is lost has some promises more on its way.
      void (async () => {
        for (let step = 0; step < 20; step += 1) await Promise.resolve();
        kills[0]!();
      })();
      yield* count(0, signal);
      throw new InferenceError('unavailable', 'The engine stopped.');
    };
    const starts: (typeof start)[] = [dying, start];
    const work = { start: (...args: Parameters<typeof start>) => starts.shift()!(...args), exclusive: true };
    expect(await collect(run(slot, work, calm()))).toEqual([1, 2, 3]);
  });

  it('fails with unavailable when the engine dies later, serves those who queue, and the next', async () => {
    const { host, kills } = killableHost();
    const slot = new ModelSlot(entry, host, () => {});
    const first = collect(
      (async function* () {
        for await (const item of run(slot, { start, exclusive: true }, calm())) {
          yield item;
          kills[0]?.();
        }
      })(),
    );
    const queued = collect(run(slot, { start, exclusive: true }, calm()));
    await expect(first).rejects.toMatchObject({ code: 'unavailable' });
    expect(await queued).toEqual([1, 2, 3]);
    expect(slot.idle).toBe(true);
  });

  it('frees the slot when the consumer breaks off, and stops the engine', async () => {
    const slot = new ModelSlot(entry, killableHost().host, () => {});
    let stopped = false;
    const endless = async function* (): AsyncGenerator<number> {
      try {
        for (;;) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          yield 1;
        }
      } finally {
        stopped = true;
      }
    };
    for await (const _ of run(slot, { start: endless, exclusive: true }, calm())) break;
    expect(await collect(run(slot, { start, exclusive: true }, calm()))).toEqual([1, 2, 3]);
    expect(stopped).toBe(true);
  });

  it('frees the slot when the caller leaves without asking for more or saying so', async () => {
    const slot = new ModelSlot(entry, killableHost().host, () => {});
    const controller = new AbortController();
    const limits = { seconds: 60, signal: controller.signal };
    const abandoned = run(slot, { start, exclusive: true }, limits);
    expect(await abandoned.next()).toEqual({ done: false, value: 1 });
    controller.abort();
    expect(await collect(run(slot, { start, exclusive: true }, calm()))).toEqual([1, 2, 3]);
  });

  it('[X16] ends with timeout when nothing comes, and the slot serves the next', async () => {
    const slot = new ModelSlot(entry, killableHost().host, () => {});
    const silent = async function* (_: LoadedModel, signal: AbortSignal): AsyncGenerator<number> {
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      yield 1;
    };
    const late = { seconds: 0.02, signal: new AbortController().signal };
    await expect(collect(run(slot, { start: silent, exclusive: true }, late))).rejects.toMatchObject({
      code: 'timeout',
    });
    expect(await collect(run(slot, { start, exclusive: true }, calm()))).toEqual([1, 2, 3]);
  });

  it('ends the worker of an engine that does not stop', async () => {
    vi.useFakeTimers();
    const { host, unloaded } = killableHost();
    const slot = new ModelSlot(entry, host, () => {});
    const deaf = (): AsyncIterable<number> => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: () => new Promise(() => {}) }),
    });
    const controller = new AbortController();
    const running = collect(run(slot, { start: deaf, exclusive: true }, { seconds: 60, signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(1);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    expect(unloaded()).toBe(0);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(unloaded()).toBe(1);
    expect(slot.queue.busy).toBe(false);
  });

  it('gives up a load that stalls, and loads anew for the next', async () => {
    vi.useFakeTimers();
    let starts = 0;
    const { host } = killableHost();
    const stalling: ModelHost = {
      start: (model, options) => (++starts === 1 ? new Promise(() => {}) : host.start(model, options)),
    };
    const slot = new ModelSlot(entry, stalling, () => {});
    const running = collect(run(slot, { start, exclusive: true }, calm()));
    await Promise.all([
      expect(running).rejects.toMatchObject({ code: 'unavailable' }),
      vi.advanceTimersByTimeAsync(300_001),
    ]);
    const next = collect(run(slot, { start, exclusive: true }, calm()));
    await vi.advanceTimersByTimeAsync(5_100);
    expect(await next).toEqual([1, 2, 3]);
  });

  it('tells those who wait for a load that is given up that the model is unavailable, not that they left', async () => {
    const { host } = killableHost();
    let starts = 0;
    const slow: ModelHost = {
      start: (model, options) =>
        ++starts === 1
          ? new Promise((_, reject) => options.signal.addEventListener('abort', reject))
          : host.start(model, options),
    };
    const slot = new ModelSlot(entry, slow, () => {});
    const waiting = collect(run(slot, { start, exclusive: true }, calm()));
    await expect.poll(() => starts).toBe(1);
    await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'unavailable' }), slot.unload()]);
    expect(await collect(run(slot, { start, exclusive: true }, calm()))).toEqual([1, 2, 3]);
  });

  it.each([
    ['three at once when they do not exclude each other', info, false, 3],
    ['three at once when the model takes as many as come', { ...info, concurrency: Infinity }, true, 3],
    ['two at once when the model takes two', { ...info, concurrency: 2 }, true, 2],
    ['one at a time when the model does not say', info, true, 1],
  ])('lets in %s', async (_, known, exclusive, expected) => {
    const host: ModelHost = {
      start: async () => ({ info: known, lost: new Promise(() => {}), unload: async () => {} }),
    };
    const slot = new ModelSlot(entry, host, () => {});
    let inside = 0;
    let most = 0;
    const visit = async function* (): AsyncGenerator<number> {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside--;
      yield 1;
    };
    await Promise.all([1, 2, 3].map(() => collect(run(slot, { start: visit, exclusive }, calm()))));
    expect(most).toBe(expected);
  });
});
