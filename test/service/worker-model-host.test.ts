import { describe, expect, it } from 'vitest';
import { scriptedBackend } from '../../src/engines/scripted/scripted-backend.js';
import { InferenceError } from '../../src/core/errors/inference-error.js';
import { createWorkerModelHost } from '../../src/service/worker-model-host.js';
import { serveModel } from '../../src/engines/worker/serve-model.js';
import type { Backend } from '../../src/core/models/backend.js';
import { Catalog } from '../../src/core/models/catalog.js';
import type { ModelEntry } from '../../src/core/models/model-entry.js';
import { RetryInNewWorker } from '../../src/core/models/retry-in-new-worker.js';
import { Scheduler } from '../../src/service/scheduler/scheduler.js';

const ENTRY: ModelEntry = { id: 'm', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Hi' }] } };
const LOAD = { assetsURL: 'http://localhost/inpage/', pageURL: 'http://localhost/' };
const failure = new InferenceError('unavailable', 'It broke.', { reason: 'It broke.' });

type Load = Backend['load'];
/** What a worker's engine does while it loads, for the first worker, the second, and so on; the last one for all later. */
type Attempt = Load | 'never starts';

const works: Load = (...call) => scriptedBackend.load(...call);
/** A download: ends as soon as it is told. */
const downloads: Load = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
/** Shaders, WASM and sessions cannot be interrupted. */
const compiles: Load = () => new Promise(() => {});
const breaks: Load = async (entry) => {
  throw new RetryInNewWorker(failure, entry);
};

/** A scheduler over workers, as in the gateway. */
function service(...attempts: Attempt[]) {
  const workers: { alive: boolean; entry: ModelEntry | undefined; crash: () => void }[] = [];
  let most = 0;
  const spawn = async () => {
    const attempt = attempts[Math.min(workers.length, attempts.length - 1)]!;
    const { port1, port2 } = new MessageChannel();
    const ports: MessagePort[] = [port2];
    port2.addEventListener('message', (event) => ports.push(...event.ports));
    const end = (): void => {
      worker.alive = false;
      for (const port of ports) port.close();
    };
    const worker = { alive: true, entry: undefined as ModelEntry | undefined, crash: end };
    workers.push(worker);
    most = Math.max(most, workers.filter(({ alive }) => alive).length);
    if (attempt === 'never starts') {
      worker.alive = false;
      return new Promise<never>(() => {});
    }
    serveModel(port2, async () => ({
      async load(entry, options) {
        worker.entry = entry;
        return attempt(entry, options);
      },
      fetchFiles: async (entry, options) => {
        worker.entry = entry;
        await attempt(entry, options);
      },
    }));
    return { port: port1, lifeline: undefined, end };
  };
  const host = createWorkerModelHost({ spawn, load: LOAD, requestTimeout: 15 });
  const scheduler = new Scheduler({ catalog: new Catalog([ENTRY]), host, requestTimeout: 15 });
  return { scheduler, workers, most: () => most, state: () => scheduler.status()[0]!.state };
}

it('a download that reports after its load has failed throws nothing', async () => {
  let report: Parameters<Load>[1]['onProgress'] | undefined;
  const { scheduler } = service(async (_, { onProgress }) => {
    report = onProgress;
    throw failure;
  });
  await expect(scheduler.load('m')).rejects.toThrow('It broke.');
  expect(() => report?.({ model: 'm', loadedBytes: 1, totalBytes: 2, stage: 'download' })).not.toThrow();
});

/** Until the last worker is at work. */
async function begun(workers: readonly { entry: ModelEntry | undefined }[], count = 1): Promise<void> {
  await expect.poll(() => workers.length === count && workers.at(-1)!.entry !== undefined).toBe(true);
}

describe.each<[string, Load]>([
  ['downloads', downloads],
  ['compiles', compiles],
])('a model that %s', (_, phase) => {
  it.concurrent('and is unloaded meanwhile: whoever waits learns it, its worker is ended, the next load works', async () => {
    const { scheduler, workers, most, state } = service(phase, works);
    const waiting = scheduler.load('m');
    await begun(workers);
    await Promise.all([
      expect(waiting).rejects.toMatchObject({ code: 'unavailable' }),
      scheduler.unload('m').then(() => expect(workers.map(({ alive }) => alive)).toEqual([false])),
    ]);
    await scheduler.load('m');
    expect(state()).toBe('ready');
    // Memory is for one.
    expect(most()).toBe(1);
  });

  it.concurrent('and is loaded anew at once: the second begins when nothing of the first is left', async () => {
    const { scheduler, workers, most } = service(phase, works);
    const first = scheduler.load('m');
    await begun(workers);
    const unloading = scheduler.unload('m');
    const second = scheduler.load('m');
    await expect(first).rejects.toMatchObject({ code: 'unavailable' });
    await Promise.all([unloading, second]);
    expect(workers.map(({ alive }) => alive)).toEqual([false, true]);
    expect(most()).toBe(1);
  });

  it.concurrent('is one load for all who ask for it', async () => {
    const { scheduler, workers } = service(phase, works);
    const both = [scheduler.load('m'), scheduler.load('m')];
    await begun(workers);
    const outcomes = Promise.allSettled(both);
    await scheduler.unload('m');
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(workers).toHaveLength(1);
  });

  it.concurrent('in a worker that crashes: a typed error, and the next load works', async () => {
    const { scheduler, workers, state } = service(phase, works);
    const waiting = scheduler.load('m');
    await begun(workers);
    workers[0]!.crash();
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    expect(state()).toBe('failed');
    await scheduler.load('m');
    expect(state()).toBe('ready');
  });

  it.concurrent('while all is stopped ends', async () => {
    const { scheduler, workers } = service(phase);
    const waiting = scheduler.load('m');
    await begun(workers);
    await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'unavailable' }), scheduler.stop()]);
    expect(workers.map(({ alive }) => alive)).toEqual([false]);
  });

  it.concurrent('only to be fetched, and is cancelled: its worker is ended', async () => {
    const { scheduler, workers } = service(phase);
    const leave = new AbortController();
    const fetching = scheduler.fetchFiles('m', { signal: leave.signal });
    await begun(workers);
    leave.abort();
    await expect(fetching).rejects.toMatchObject({ code: 'cancelled' });
    expect(workers.map(({ alive }) => alive)).toEqual([false]);
  });
});

describe('an engine that broke', () => {
  it('is loaded again in a fresh worker, as its backend says, when the first is ended', async () => {
    const onGpu: Load = async (entry) => {
      throw new RetryInNewWorker(failure, { ...entry, device: 'wasm' });
    };
    const { scheduler, workers, most, state } = service(onGpu, works);
    await scheduler.load('m');
    expect(state()).toBe('ready');
    expect(workers.map(({ entry }) => entry?.device)).toEqual([undefined, 'wasm']);
    expect(most()).toBe(1);
  });

  it('again and again is given up with what broke it', async () => {
    const { scheduler, workers } = service(breaks);
    await expect(scheduler.load('m')).rejects.toMatchObject({ code: 'unavailable', message: 'It broke.' });
    expect(workers).toHaveLength(3);
    expect(workers.some(({ alive }) => alive)).toBe(false);
  });

  it('is not loaded again for somebody who has left', async () => {
    let broken = (): void => {};
    const slowly: Load = (entry) =>
      new Promise((_, reject) => (broken = () => reject(new RetryInNewWorker(failure, entry))));
    const { scheduler, workers } = service(slowly, works);
    const waiting = scheduler.load('m');
    await begun(workers);
    const unloading = scheduler.unload('m');
    broken();
    await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'unavailable' }), unloading]);
    expect(workers).toHaveLength(1);
  });
});
