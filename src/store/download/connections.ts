/** At most four connections to a host at a time, for all workers and tabs of an origin together. @module */
import { hold, type Release } from '../../core/platform/hold-lock.js';

/** Browsers open six to an HTTP/1.1 server; the page needs some too. */
export const MAX_CONNECTIONS = 4;

/**
 * Milliseconds to wait for other tabs' downloads. A caller that holds a connection longer may be a tab that stands still, and
 * one connection more does no harm.
 */
const SHARED_TIMEOUT_MS = 30_000;

/** Hands out connections, first come, first served. */
export class Connections {
  readonly #locks: LockManager | undefined;
  readonly #hosts = new Map<string, { taken: number; waiting: (() => void)[] }>();

  /** @param locks absent: only this realm's connections are counted */
  constructor(locks: LockManager | undefined) {
    this.#locks = locks;
  }

  /** Waits for a connection. Rejects when the signal aborts. */
  async take(url: string, signal: AbortSignal): Promise<Release> {
    const { host } = new URL(url);
    const own = await this.#takeOwn(host, signal);
    try {
      const shared = await this.#takeShared(host, signal);
      return () => {
        shared();
        own();
      };
    } catch (error) {
      own();
      throw error;
    }
  }

  async #takeOwn(host: string, signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted();
    const state = this.#hosts.get(host) ?? { taken: 0, waiting: [] };
    this.#hosts.set(host, state);
    if (state.taken < MAX_CONNECTIONS) state.taken++;
    // A connection that is given back goes to the first in the queue.
    else await waitInLine(state.waiting, signal);
    return () => {
      const next = state.waiting.shift();
      if (next) next();
      else state.taken--;
    };
  }

  async #takeShared(host: string, signal: AbortSignal): Promise<Release> {
    const names = Array.from({ length: MAX_CONNECTIONS }, (_, number) => `inpage:connection:${host}:${number}`);
    if (!this.#locks) return () => {};
    for (const name of names) {
      const release = await hold(this.#locks, name, { ifAvailable: true });
      if (release) return release;
    }
    const name = names[Math.floor(Math.random() * names.length)]!;
    const patience = AbortSignal.any([signal, AbortSignal.timeout(SHARED_TIMEOUT_MS)]);
    const release = await hold(this.#locks, name, { signal: patience }).catch(() => undefined);
    signal.throwIfAborted();
    return release ?? (() => {});
  }
}

function waitInLine(line: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const turn = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      line.splice(line.indexOf(turn), 1);
      reject(signal.reason as Error);
    };
    line.push(turn);
    signal.addEventListener('abort', leave, { once: true });
  });
}
