/** The engine of a hosting tab: makes the gateway worker and the model workers, and replaces the gateway when it dies. @module */
import { proxy, transfer } from 'comlink';
import { type InferenceError, isInferenceError } from '../core/errors/inference-error.js';
import { pause } from '../core/platform/pause.js';
import { orAborted, rejectOnAbort } from '../core/platform/reject-on-abort.js';
import { respondsWithin } from '../core/platform/settled-within.js';
import { withTrustedWorkers } from '../core/errors/trusted-types.js';
import type { GatewayControl, GatewayOptions, HostPageControl, SpawnedWorker } from '../service/gateway-control.js';
import type { ModelWorkerControl } from '../engines/worker/model-worker.js';
import { ControlChannel } from '../relay/control/control-channel.js';
import {
  openModelPort,
  spawnError,
  type StartedModelWorker,
  startModelWorker,
  startPageModel,
} from './start-model-worker.js';
import { startWorker } from './start-worker.js';
import { ownLivenessLock } from '../relay/liveness-lock.js';
import { HOST_POLL_LIMIT } from '../relay/stream/call-timing.js';

/** Milliseconds before a gateway that could not start is tried again. */
const RESTART_DELAY_MS = 1_000;
/** Milliseconds that a gateway whose script runs gets to take its options. */
const CONFIGURE_TIMEOUT_MS = 10_000;

// Bundlers know `new Worker(new URL(…))` by its letters.
const makeGateway = (): Worker =>
  withTrustedWorkers(
    () =>
      new Worker(new URL('../service/gateway-worker.ts', import.meta.url), { type: 'module', name: 'inpage-gateway' }),
  );
type GatewayChannel = ControlChannel<GatewayControl>;

/** A model worker, or a model in this page. */
interface RunningModel {
  end: () => void;
  control?: ControlChannel<ModelWorkerControl>;
}

/** A model worker that has no model yet. */
interface NewWorker {
  id: number;
  /** Its script runs. Rejects with InferenceError `unavailable`. */
  started: Promise<StartedModelWorker>;
}

/** Owns all workers of a tab, from its construction until `stop`. */
export class ServiceHost {
  readonly #options: GatewayOptions;
  readonly #models = new Map<number, RunningModel>();
  readonly #stopped = new AbortController();
  readonly #onBroken: (error: InferenceError) => void;
  #gateway: Worker | undefined;
  #channel: Promise<GatewayChannel>;
  readonly #pageControl: HostPageControl = {
    spawnModelWorker: () => this.#spawnModelWorker(),
    serveInPage: () => this.#serveInPage(),
    endModelWorker: (id) => this.#endModel(id),
    keepStored: async () => (await import('./file-parts.js')).keepStored(),
    readPdf: async (bytes) => (await import('./file-parts.js')).readPdf(bytes),
  };
  #nextId = 1;
  /** Starts beside the gateway, so that the first load need not wait for it. */
  #spare: NewWorker | undefined;

  /** @param onBroken told when the gateway's script cannot run: trying again alone will not help */
  constructor(options: GatewayOptions, onBroken: (error: InferenceError) => void = () => {}) {
    this.#options = options;
    this.#onBroken = onBroken;
    this.#channel = this.#start();
  }

  /** Hands one end of a call's port to the gateway, as soon as there is one. A gateway that does not take it is replaced. */
  connect(port: MessagePort): void {
    void this.#hand(port, this.#channel).catch(() => {}); // Stopped meanwhile.
  }

  async #hand(port: MessagePort, current: Promise<GatewayChannel>): Promise<void> {
    const channel = await current;
    const taken = channel.call((gateway) => gateway.connect(transfer(port, [port])));
    const isTaken = await respondsWithin(taken, HOST_POLL_LIMIT);
    if (!isTaken && current === this.#channel) this.#restart();
  }

  #newModelWorker(): NewWorker {
    const id = this.#nextId++;
    let end = (): void => {};
    const take = (worker: Worker): void => {
      end = () => worker.terminate();
      this.#models.set(id, { end });
    };
    const start = async (): NewWorker['started'] => {
      const started = await startModelWorker(take, () => this.#models.has(id));
      this.#models.set(id, { end, control: started.control });
      return started;
    };
    return { id, started: start() };
  }

  #startSpare(): void {
    const { models, load } = this.#options;
    const own = models.filter(({ backend }) => backend === 'transformers' || backend === 'gguf');
    // Others have nothing to prepare, and what starts beside the gateway delays it.
    if (own.length === 0) return;
    let spare: NewWorker;
    try {
      spare = this.#spare = this.#newModelWorker();
    } catch {
      return; // The page's policy refuses workers, as the gateway finds out too.
    }
    // A caller that needs one next finds out why, from a new one.
    const drop = (): void => {
      if (this.#spare !== spare) return;
      this.#spare = undefined;
      this.#endModel(spare.id);
    };
    const prepared = async (): Promise<void> => {
      const { control } = await spare.started;
      control.closed.addEventListener('abort', drop);
      await control.call((worker) => worker.prepare(own, load));
    };
    prepared().catch(drop);
  }

  async #spawnModelWorker(): Promise<SpawnedWorker> {
    const { id, started } = this.#spare ?? this.#newModelWorker();
    this.#spare = undefined;
    try {
      const worker = await started;
      const port = await openModelPort(worker);
      return transfer({ id, port, lifeline: worker.lifeline }, [port]);
    } catch (thrown) {
      this.#endModel(id);
      throw spawnError(thrown);
    }
  }

  async #serveInPage(): Promise<SpawnedWorker> {
    const lifeline = await ownLivenessLock();
    const id = this.#nextId++;
    const { port1, port2 } = new MessageChannel();
    this.#models.set(id, { end: await startPageModel(port2) });
    return transfer({ id, port: port1, lifeline }, [port1]);
  }

  #endModel(id: number): void {
    this.#models.get(id)?.end();
    this.#models.delete(id);
  }

  /** Ends all workers. A caller that waits for them learns so from their lifelines. */
  stop(): void {
    this.#stopped.abort();
    this.#endWorkers();
  }

  /** Tries until it succeeds. Rejects when this host is stopped. */
  #start(): Promise<GatewayChannel> {
    const started = this.#tryToStart();
    started.catch(() => {}); // No one may be waiting.
    this.#startSpare();
    return started;
  }

  async #tryToStart(): Promise<GatewayChannel> {
    const { signal } = this.#stopped;
    for (;;) {
      signal.throwIfAborted();
      try {
        return await Promise.race([this.#startGateway(), rejectOnAbort(signal)]);
      } catch (thrown) {
        this.#gateway?.terminate();
        signal.throwIfAborted();
        // A page that is being closed cannot start workers; one with a broken deployment should see why.
        console.error('inpage: the gateway could not be started.', isInferenceError(thrown) ? thrown.message : thrown);
        const isBroken = isInferenceError(thrown) && thrown.code !== 'internal' && thrown.details.reason !== undefined;
        if (isBroken) this.#onBroken(thrown);
        await pause(RESTART_DELAY_MS, signal);
      }
    }
  }

  async #startGateway(): Promise<GatewayChannel> {
    const take = (worker: Worker): void => void (this.#gateway = worker);
    const { worker, lifeline } = await startWorker(makeGateway, take, () => !this.#stopped.signal.aborted);
    const channel = new ControlChannel<GatewayControl>(worker, lifeline);
    const configured = channel.call((gateway) => gateway.configure(this.#options, proxy(this.#pageControl)));
    await orAborted(configured, AbortSignal.timeout(CONFIGURE_TIMEOUT_MS));
    channel.closed.addEventListener('abort', () => {
      if (this.#gateway === worker) this.#restart();
    });
    return channel;
  }

  #restart(): void {
    if (this.#stopped.signal.aborted) return;
    this.#endWorkers();
    this.#channel = this.#start();
  }

  #endWorkers(): void {
    this.#gateway?.terminate();
    this.#spare = undefined;
    for (const id of this.#models.keys()) this.#endModel(id);
  }
}
