/** Waits that an AbortSignal ends. @module */
/** Rejects with the signal's reason when it aborts; stays pending otherwise. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** Rejects with the signal's reason as soon as it aborts, else follows `work`. Leaves no listener behind. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => {});
    return Promise.reject(signal.reason as Error);
  }
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/**
 * Ends the waits of one request when a signal aborts. One listener serves all of them, so that nothing leaks through a
 * signal or promise that outlives the request.
 */
export class Interruptible {
  readonly #signal: AbortSignal;
  #reject: (reason: unknown) => void = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#interrupt, { once: true });
  }

  /** Follows `work`, or rejects with the signal's reason as soon as it aborts. One wait at a time. */
  wait<T>(work: Promise<T>): Promise<T> {
    if (this.#signal.aborted) {
      work.catch(() => {});
      return Promise.reject(this.#signal.reason as Error);
    }
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      work.then(resolve, reject);
    });
  }

  /** Removes the listener. */
  dispose(): void {
    this.#signal.removeEventListener('abort', this.#interrupt);
  }

  readonly #interrupt = (): void => this.#reject(this.#signal.reason);
}
