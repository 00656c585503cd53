/** The time limit of a request, as a signal that also aborts when the caller leaves. @module */
import { cancelled, InferenceError } from '../../core/errors/inference-error.js';

/** The longest wait of a timer. A longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Aborts `signal` with `cancelled` when the caller leaves and with `timeout` when the started timer runs out. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = this.#controller.signal;
  readonly #seconds: number;
  readonly #caller: AbortSignal;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param seconds how long after `start`; more than 24 days, or Infinity: no timeout */
  constructor(seconds: number, caller: AbortSignal) {
    this.#seconds = seconds;
    this.#caller = caller;
    if (caller.aborted) this.#leave();
    else caller.addEventListener('abort', this.#leave, { once: true });
  }

  /** Starts the clock, once; later calls change nothing but after `renew`. */
  start(): void {
    if (this.#seconds * 1000 > MAX_TIMER_MS) return;
    this.#timer ??= setTimeout(() => {
      this.#controller.abort(
        new InferenceError('timeout', `The model gave no answer within ${this.#seconds} seconds.`),
      );
    }, this.#seconds * 1000);
  }

  /** The awaited thing came: no timeout any more. The caller may still leave. */
  satisfy(): void {
    clearTimeout(this.#timer);
  }

  /** What came is to come again: the next `start` starts the clock. */
  renew(): void {
    this.#timer = undefined;
  }

  /** Lets go of timer and caller. */
  dispose(): void {
    this.satisfy();
    this.#caller.removeEventListener('abort', this.#leave);
  }

  readonly #leave = (): void => {
    this.#controller.abort(cancelled());
  };
}
