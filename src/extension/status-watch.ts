/** A copy of the models' state, kept up to date by the host. @module */
import type { ModelStatus } from '../core/models/model-status.js';
import { pause } from '../core/platform/pause.js';
import { OpenCall } from '../relay/stream/open-call.js';
import { STATUS_TIMING, type StatusItem } from './host-protocol.js';
import { reachOpenHost } from './reach-host.js';

/** Milliseconds until a host that has gone is looked for again. It is not opened for this. */
const RETRY_DELAY_MS = 1_000;

/** Milliseconds until a host that has said what it serves must have told the first state; it may be gone again. */
const FIRST_STATE_TIMEOUT_MS = 5_000;

/** Watches from its construction until the signal aborts, across changes of host. */
export class StatusWatch {
  readonly #stopped: AbortSignal;
  readonly #listeners = new Set<() => void>();
  #models: ModelStatus[] = [];
  #onFirst: () => void = () => {};
  #awake = new AbortController();
  /** Resolves with the first state, when it is overdue, or when the watch is stopped. */
  readonly first: Promise<void>;

  constructor(stopped: AbortSignal) {
    this.#stopped = stopped;
    const told = new Promise<void>((resolve) => (this.#onFirst = resolve));
    this.first = Promise.race([told, pause(FIRST_STATE_TIMEOUT_MS, stopped)]);
    stopped.addEventListener('abort', () => this.#take([]));
    void this.#watch();
  }

  /** The state as it was told last. */
  get models(): ModelStatus[] {
    return this.#models;
  }

  /** Calls the listener after every change. @returns ends it */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A host is there: it need not be waited for. */
  wake(): void {
    this.#awake.abort();
    this.#awake = new AbortController();
  }

  async #watch(): Promise<void> {
    while (!this.#stopped.aborted) {
      await this.#follow().catch(() => {});
      // Looking for the host would keep a background worker from its sleep; its next request tells that there is one.
      const delay = typeof document === 'undefined' ? Infinity : RETRY_DELAY_MS;
      await pause(delay, AbortSignal.any([this.#stopped, this.#awake.signal]));
    }
  }

  async #follow(): Promise<void> {
    const host = await reachOpenHost('status', this.#stopped);
    if (!host) return;
    const options = { signal: this.#stopped, timing: STATUS_TIMING, lifeline: undefined };
    for await (const batch of new OpenCall<StatusItem>(host.port, {}, options)) this.#take(batch.at(-1) ?? []);
  }

  #take(models: ModelStatus[]): void {
    this.#models = models;
    this.#onFirst();
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (thrown) {
        reportError(thrown);
      }
    }
  }
}
