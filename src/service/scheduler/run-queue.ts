/** A first-come-first-served queue with a limited number of places. @module */
import { toInferenceError } from '../../core/errors/inference-error.js';

/** Leaves, which lets the next one in. Safe to call twice. */
export type Release = () => void;

/** A fair lock whose waiting can be aborted. */
export class RunQueue {
  readonly #changed: () => void;
  #held = 0;
  #joined = 0;
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
    return this.#held > 0 || this.#joined > 0;
  }

  /**
   * Waits for the turn. Rejects with the signal's reason (as InferenceError) when it aborts first.
   * @param limit how many may hold it at a time
   */
  async acquire(signal: AbortSignal, limit = 1): Promise<Release> {
    if (signal.aborted) throw toInferenceError(signal.reason);
    if (this.#held >= limit) await this.#wait(signal);
    else this.#held += 1;
    return this.#entered(() => {
      this.#held -= 1;
      this.#waiting.shift()?.();
    });
  }

  /** Enters at once, beside the requests that run. */
  join(): Release {
    this.#joined += 1;
    return this.#entered(() => (this.#joined -= 1));
  }

  #entered(leave: () => void): Release {
    this.#changed();
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      leave();
      this.#changed();
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        // Taken here, not after the await: a newcomer must not slip in between.
        this.#held += 1;
        resolve();
      };
      const leave = (): void => {
        const position = this.#waiting.indexOf(enter);
        if (position >= 0) this.#waiting.splice(position, 1);
        this.#changed();
        reject(toInferenceError(signal.reason));
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(enter);
      this.#changed();
    });
  }
}
