/** What a tab asks of the engine besides HTTP: its state, and to load and unload models. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import type { LoadProgress } from '../core/models/model-entry.js';
import { CONNECT_DEADLINE, REQUEST_TIMING } from '../relay/stream/call-timing.js';
import { openCall, peerGone } from '../relay/stream/open-call.js';
import type { ControlPayload, Snapshot } from '../relay/protocol.js';
import type { Connect } from '../relay/handshake.js';
import type { ModelStatus } from '../core/models/model-status.js';

/** Milliseconds until a lost engine is looked for again. */
const RETRY_PAUSE = 200;

/** Keeps a copy of the engine's state, from its construction until `stop`, across restarts and changes of host. */
export class EngineClient {
  readonly #connect: Connect;
  readonly #onProgress: (progress: LoadProgress) => void;
  readonly #stopped = new AbortController();
  /** The browser keeps what is stored; undefined while it has not said. */
  #persistent: boolean | undefined;
  #models: ModelStatus[] = [];
  #onFirst: () => void = () => {};
  /** Resolves when the engine has answered for the first time. */
  readonly ready: Promise<void>;

  constructor(connect: Connect, onProgress: (progress: LoadProgress) => void) {
    this.#connect = connect;
    this.#onProgress = onProgress;
    this.ready = new Promise((resolve) => (this.#onFirst = resolve));
    void this.#watch();
  }

  /** The state as the engine told it last. */
  status(): ModelStatus[] {
    const persistent = this.#persistent;
    return this.#models.map((model) => ({ ...model, persistent }));
  }

  /** Resolves when it is done. Rejects with the engine's InferenceError, or `unavailable` when there is no engine. */
  async run(
    payload: Exclude<ControlPayload, { control: 'watch' }>,
    signal: AbortSignal = this.#stopped.signal,
  ): Promise<void> {
    const snapshot = await this.#first(payload, signal);
    this.#models = snapshot.models;
  }

  /** Ends the watch; calls that run reject. */
  stop(): void {
    this.#stopped.abort();
    this.#models = [];
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      try {
        for await (const snapshot of this.#call({ control: 'watch' }, signal)) {
          this.#models = snapshot.models;
          this.#onFirst();
          for (const progress of snapshot.progress) this.#report(progress);
        }
      } catch {
        // The engine is gone or not there yet. Another one will answer, or the page's own deadlines end the wait.
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE));
    }
  }

  async #first(payload: ControlPayload, signal: AbortSignal): Promise<Snapshot> {
    for await (const snapshot of this.#call(payload, signal)) return snapshot;
    throw peerGone();
  }

  async *#call(payload: ControlPayload, signal: AbortSignal): AsyncGenerator<Snapshot, void> {
    const { port, hello } = await this.#reach(signal);
    yield* openCall<Snapshot>(port, payload, {
      signal,
      timing: REQUEST_TIMING,
      lifeline: hello.lifeline,
    });
  }

  async #reach(signal: AbortSignal): ReturnType<Connect> {
    try {
      return await this.#connect(AbortSignal.any([signal, AbortSignal.timeout(CONNECT_DEADLINE)]));
    } catch (thrown) {
      throw new InferenceError(
        'unavailable',
        'No inference engine can be reached.',
        { retryAfter: 1 },
        { cause: thrown },
      );
    }
  }

  #report(progress: LoadProgress): void {
    void import('./model-store.js').then(async ({ keepStored }) => (this.#persistent = await keepStored(progress)));
    try {
      this.#onProgress(progress);
    } catch (thrown) {
      // The app's mistake must not end the watch, nor stay unseen.
      reportError(thrown);
    }
  }
}
