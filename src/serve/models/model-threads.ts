/** Models whose engine runs in a thread of Node: the page's model workers. @module */
import { proxy, transfer } from 'comlink';
import { randomUUID } from 'node:crypto';
import { totalmem } from 'node:os';
import { MessageChannel } from 'node:worker_threads';
import { InferenceError, toInferenceError } from '../../core/errors/inference-error.js';
import type { LoadedModel } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { settledWithin } from '../../core/platform/settled-within.js';
import type { ModelWorkerHandle } from '../../service/remote-model.js';
import type { FetchOptions, ModelHost, StartOptions } from '../../service/scheduler/model-host.js';
import { createWorkerModelHost } from '../../service/worker-model-host.js';
import type { PageAudioDecoder } from '../../sound/page-audio-decoder.js';
import type { ModelWorkerControl } from '../../engines/worker/model-worker.js';
import { ControlChannel } from '../../relay/control/control-channel.js';
import type { PlainLoadOptions, WorkerReady } from '../../relay/protocol.js';
import { locksFolder } from './disk-cache.js';
import { FileLocks } from './file-locks.js';
import { NodeWorker } from './node-worker.js';
import { serveLocks } from './thread-locks.js';

/** Milliseconds in which a thread's script must run. */
const START_DEADLINE = 30_000;

/** What all models have in common. */
export interface ModelThreadsOptions {
  load: Omit<PlainLoadOptions, 'assetsURL'>;
  /** Seconds. */
  requestTimeout: number;
  /** Absolute path of the folder where fetched files are kept. */
  cacheFolder: string;
  /** Told once why nothing can be kept there. */
  onCacheRefused: (why: string) => void;
}

/** ONNX Runtime, beside this module in the built package. */
const ASSETS = new URL('./ort/', import.meta.url).href;

/** A host whose models have a thread each, with the threads of their engines; `unload()` ends them. */
export class ModelThreads implements ModelHost {
  readonly #host: Required<ModelHost>;
  /** The end of each thread that runs. */
  readonly #running = new Map<NodeWorker, Promise<void>>();
  readonly #cacheFolder: string;
  readonly #onCacheRefused: (why: string) => void;
  /** Of all that use the cache. */
  readonly locks: FileLocks;
  readonly #run = randomUUID();
  #isRefused = false;

  constructor({ load, requestTimeout, cacheFolder, onCacheRefused }: ModelThreadsOptions) {
    this.#cacheFolder = cacheFolder;
    this.#onCacheRefused = onCacheRefused;
    this.locks = new FileLocks(locksFolder(cacheFolder));
    this.#host = createWorkerModelHost({
      spawn: () => this.#spawn(),
      load: { deviceMemory: machineMemory(), ...load, assetsURL: ASSETS },
      requestTimeout,
    });
  }

  start(entry: ModelEntry, options: StartOptions): Promise<LoadedModel> {
    return this.#host.start(entry, options);
  }

  fetchFiles(entry: ModelEntry, options: FetchOptions): Promise<void> {
    return this.#host.fetchFiles(entry, options);
  }

  /** Ends all threads. Resolves when none is left. */
  async close(): Promise<void> {
    for (const thread of this.#running.keys()) thread.terminate();
    await Promise.all(this.#running.values());
  }

  async #spawn(): Promise<ModelWorkerHandle> {
    const thread = this.#startThread();
    const end = (): void => thread.terminate();
    try {
      const lifeline = await lifelineOf(thread);
      const control = new ControlChannel<ModelWorkerControl>(thread as unknown as Worker, lifeline);
      const { port1, port2 } = new globalThis.MessageChannel();
      await control.call((worker) => worker.serve(transfer(port2, [port2]), proxy(refuseSound)));
      return { port: port1, lifeline, end };
    } catch (thrown) {
      end();
      const { message } = toInferenceError(thrown);
      throw new InferenceError('unavailable', message, { retryAfter: 5, reason: message });
    }
  }

  #startThread(): NodeWorker {
    const { port1, port2 } = new MessageChannel();
    const store = { port: port2, cacheFolder: this.#cacheFolder, run: this.#run };
    // In the built package, beside this module.
    const thread = new NodeWorker(new URL('./model-worker.js', import.meta.url), { name: 'inpage-model' }, store);
    const endLocks = serveLocks(port1, this.locks, (why) => {
      if (!this.#isRefused) this.#onCacheRefused(why);
      this.#isRefused = true;
    });
    const ended = new Promise<void>((resolve) => thread.addEventListener('close', () => resolve()));
    this.#running.set(thread, ended);
    void ended.then(() => {
      endLocks();
      this.#running.delete(thread);
    });
    return thread;
  }
}

/** Gigabytes that this process may use, as far as the system says so. */
export function machineMemory(): number {
  const limit = process.constrainedMemory?.() || Infinity;
  return Math.min(totalmem(), limit) / 2 ** 30;
}

/** Resolves when the thread's script runs. @throws InferenceError `unavailable` */
async function lifelineOf(thread: NodeWorker): Promise<string | undefined> {
  const started = new Promise<WorkerReady>((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new InferenceError('unavailable', `The thread of the model did not start${why}.`));
    thread.addEventListener('message', (event) => resolve((event as MessageEvent<WorkerReady>).data), { once: true });
    thread.addEventListener('error', (event) => fail(`: ${(event as ErrorEvent).message}`), { once: true });
    thread.addEventListener('close', () => fail(''), { once: true });
  });
  const ready = await settledWithin(started, START_DEADLINE);
  if (!ready) throw new InferenceError('unavailable', 'The thread of the model did not start in time.');
  return ready.lifeline;
}

/** There is no page that could decode what the thread cannot. */
const refuseSound: PageAudioDecoder = async () => {
  throw new InferenceError('invalid_media', 'This kind of audio cannot be decoded here.', { param: 'file' });
};
