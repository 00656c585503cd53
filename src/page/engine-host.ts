/** The engine of a hosting tab: makes the gateway worker and the model workers, and replaces the gateway when it dies. @module */
import { type InferenceError, isInferenceError } from '../core/errors/inference-error.js';
import { answersInTime } from '../core/platform/settled-within.js';
import { pause } from '../core/platform/pause.js';
import { rejectOnAbort } from '../core/platform/reject-on-abort.js';
import { type Ask, move, openControlLine } from '../relay/control/control-line.js';
import { GATEWAY_PATIENCE } from '../relay/stream/call-timing.js';
import { watchLifeline } from '../relay/lifeline.js';
import { peerGone } from '../relay/stream/open-call.js';
import type { GatewayControl, GatewayOptions, PageControl, SpawnResult } from '../gateway/gateway-control.js';
import { decoderPort } from './audio-decoder-port.js';
import { workerStarted } from './start-worker.js';

/** Milliseconds before a gateway that could not start is tried again. */
const RESTART_PAUSE = 1_000;
/** Milliseconds that a gateway whose script runs gets to take its options. */
const CONFIGURE_DEADLINE = 10_000;

// Bundlers know `new Worker(new URL(…))` by its letters.
const makeGateway = (): Worker =>
  new Worker(new URL('../gateway/gateway-worker.ts', import.meta.url), { type: 'module', name: 'inpage-gateway' });
const makeModelWorker = (): Worker =>
  new Worker(new URL('../model/model-worker.ts', import.meta.url), { type: 'module', name: 'inpage-model' });

/** Owns all workers of a tab, from its construction until `stop`. */
export class EngineHost {
  readonly #options: GatewayOptions;
  readonly #modelWorkers = new Map<number, Worker>();
  readonly #stopped = new AbortController();
  readonly #onBroken: (error: InferenceError) => void;
  #gateway: Worker | undefined;
  #control: Promise<Ask<GatewayControl>>;
  readonly #pageControl: PageControl = {
    spawnModelWorker: () => this.#spawnModelWorker(),
    endModelWorker: (id) => this.#endModelWorker(id),
  };
  #nextId = 1;

  /** @param onBroken told when the gateway's script cannot run: trying again alone will not help */
  constructor(options: GatewayOptions, onBroken: (error: InferenceError) => void = () => {}) {
    this.#options = options;
    this.#onBroken = onBroken;
    this.#control = this.#start();
  }

  /** Hands one end of a call's port to the gateway, as soon as there is one. A gateway that does not take it is replaced. */
  connect(port: MessagePort): void {
    void this.#hand(port, this.#control).catch(() => {}); // Stopped meanwhile.
  }

  async #hand(port: MessagePort, current: Promise<Ask<GatewayControl>>): Promise<void> {
    const ask = await current;
    const isTaken = await answersInTime(ask('connect', move(port, [port])), GATEWAY_PATIENCE);
    if (!isTaken && current === this.#control) this.#restart();
  }

  async #spawnModelWorker(): Promise<SpawnResult> {
    const worker = makeModelWorker();
    const id = this.#nextId++;
    this.#modelWorkers.set(id, worker);
    try {
      const lifeline = await workerStarted(worker, makeModelWorker);
      const { port1, port2 } = new MessageChannel();
      worker.postMessage(undefined, [port2, decoderPort()]);
      return move({ started: true, id, port: port1, lifeline }, [port1]);
    } catch (thrown) {
      this.#modelWorkers.delete(id);
      return { started: false, reason: thrown instanceof Error ? thrown.message : 'The worker did not start.' };
    }
  }

  #endModelWorker(id: number): void {
    this.#modelWorkers.get(id)?.terminate();
    this.#modelWorkers.delete(id);
  }

  /** Ends all workers. Whoever waits for them learns so from their lifelines. */
  stop(): void {
    this.#stopped.abort();
    this.#endWorkers();
  }

  /** Tries until it succeeds. Rejects when this host is stopped. */
  #start(): Promise<Ask<GatewayControl>> {
    const started = this.#tryToStart();
    started.catch(() => {}); // Nobody may be waiting.
    return started;
  }

  async #tryToStart(): Promise<Ask<GatewayControl>> {
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
        if (isInferenceError(thrown) && thrown.details.reason !== undefined) this.#onBroken(thrown);
        await pause(RESTART_PAUSE, signal);
      }
    }
  }

  async #startGateway(): Promise<Ask<GatewayControl>> {
    const worker = makeGateway();
    this.#gateway = worker;
    const lifeline = await workerStarted(worker, makeGateway);
    const died = new Promise<void>((resolve) => watchLifeline(lifeline, resolve, this.#stopped.signal));
    const ask = openControlLine<GatewayControl>(worker, this.#pageControl);
    await Promise.race([
      ask('configure', this.#options),
      rejectOnAbort(AbortSignal.timeout(CONFIGURE_DEADLINE)),
      died.then(() => Promise.reject(peerGone())),
    ]);
    void died.then(() => {
      if (this.#gateway === worker) this.#restart();
    });
    return ask;
  }

  #restart(): void {
    if (this.#stopped.signal.aborted) return;
    this.#endWorkers();
    this.#control = this.#start();
  }

  #endWorkers(): void {
    this.#gateway?.terminate();
    for (const id of this.#modelWorkers.keys()) this.#endModelWorker(id);
  }
}
