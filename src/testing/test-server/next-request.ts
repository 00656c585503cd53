/** Waits for requests of a journal: each is given once. @module */
import type { JournalEntry, RequestFilter } from './test-server-types.js';

/** Requests that a message of a time-out lists. */
const NAMED = 10;

interface Waiting {
  fits: (entry: JournalEntry) => boolean;
  resolve: (entry: JournalEntry) => void;
  reject: (thrown: Error) => void;
}

/** Requests that were read and not given yet, and calls that wait for one. */
export class NextRequests {
  readonly #setAlarm: (milliseconds: number, ring: () => void) => void;
  #ready: JournalEntry[] = [];
  #waiting: Waiting[] = [];
  /** Whether anything waits. */
  onWaiting: (isWaiting: boolean) => void = () => {};

  /** @param setAlarm calls back after a time; the test's own timers may be replaced */
  constructor(setAlarm: (milliseconds: number, ring: () => void) => void) {
    this.#setAlarm = setAlarm;
  }

  /** A request has been read. */
  add(entry: JournalEntry): void {
    const waiting = this.#waiting.find(({ fits }) => fits(entry));
    if (!waiting) return void this.#ready.push(entry);
    this.#leave(waiting);
    waiting.resolve(entry);
  }

  next(
    filter: RequestFilter | undefined,
    { timeout = 5000, signal }: { timeout?: number; signal?: AbortSignal },
  ): Promise<JournalEntry> {
    const fits = compileFilter(filter);
    const found = this.#ready.find(fits);
    if (found) {
      this.#ready = this.#ready.filter((entry) => entry !== found);
      return Promise.resolve(found);
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { fits, resolve, reject };
      const fail = (thrown: Error): void => {
        if (!this.#waiting.includes(waiting)) return;
        this.#leave(waiting);
        reject(thrown);
      };
      if (signal?.aborted) return reject(reasonOf(signal));
      signal?.addEventListener('abort', () => fail(reasonOf(signal)), { once: true });
      this.#waiting.push(waiting);
      this.onWaiting(true);
      this.#setAlarm(timeout, () => fail(new Error(this.#late(timeout))));
    });
  }

  /** Forgets what came. */
  clear(): void {
    this.#ready = [];
  }

  /** All that wait fail. */
  failAll(thrown: Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(thrown);
    this.onWaiting(false);
  }

  #leave(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
    this.onWaiting(this.#waiting.length > 0);
  }

  #late(timeout: number): string {
    const came = this.#ready.slice(-NAMED).map(({ method, path }) => `${method} ${path}`);
    const instead = came.length === 0 ? 'No other request came.' : `These came instead: ${came.join(', ')}.`;
    return `No matching request arrived within ${timeout} ms. ${instead}`;
  }
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error
    ? signal.reason
    : new Error('The wait for a request was aborted.', { cause: signal.reason });
}

function compileFilter(filter: RequestFilter | undefined): (entry: JournalEntry) => boolean {
  if (typeof filter === 'function') return filter;
  const { method, path, model } = filter ?? {};
  return (entry) =>
    (method === undefined || entry.method === method.toUpperCase()) &&
    (path === undefined || entry.path === path) &&
    (model === undefined || entry.model === model);
}
