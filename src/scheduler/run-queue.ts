/** First come, first served: one holder at a time. @module */
import { toInferenceError } from '../errors/inference-error.js';

/** Lets the next one in. Safe to call twice. */
export type Release = () => void;

/** A fair lock whose waiting can be aborted. */
export class RunQueue {
  readonly #changed: () => void;
  #held = false;
  readonly #waiting: (() => void)[] = [];

  /** @param changed called after every change of `busy` and `length` */
  constructor(changed: () => void = () => {}) {
    this.#changed = changed;
  }

  /** How many wait. */
  get length(): number {
    return this.#waiting.length;
  }

  get busy(): boolean {
    return this.#held;
  }

  /** Waits for the turn. Rejects with the signal's reason (as InferenceError) when it aborts first. */
  async acquire(signal: AbortSignal): Promise<Release> {
    if (signal.aborted) throw toInferenceError(signal.reason);
    if (this.#held) await this.#wait(signal);
    this.#held = true;
    this.#changed();
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#held = false;
      this.#waiting.shift()?.();
      this.#changed();
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        // Taken here, not after the await: a newcomer must not slip in between.
        this.#held = true;
        resolve();
      };
      const leave = (): void => {
        const place = this.#waiting.indexOf(enter);
        if (place >= 0) this.#waiting.splice(place, 1);
        this.#changed();
        reject(toInferenceError(signal.reason));
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(enter);
      this.#changed();
    });
  }
}
