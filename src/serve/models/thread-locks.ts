/**
 * Locks for a thread of Node, in the form of a browser's: the process's main thread holds them for it, and gives them back
 * when the thread has ended, whatever it was doing.
 * @module
 */
import type { MessagePort } from 'node:worker_threads';
import type { Locks, TakeOptions, Unlock } from './file-locks.js';

/** From the thread. */
export type LockRequest =
  | { type: 'take'; id: number; name: string; waits: boolean }
  /** Gives it back, or waits for it no longer. */
  | { type: 'leave'; id: number }
  /** The cache's folder cannot be written. */
  | { type: 'refused'; why: string };

/** To the thread. */
interface LockAnswer {
  id: number;
  isHeld: boolean;
}

/**
 * Holds locks for a thread.
 * @param onRefused told why the cache's folder cannot be written
 * @returns gives all of them back
 */
export function serveLocks(port: MessagePort, locks: Locks, onRefused: (why: string) => void): () => void {
  const held = new Map<number, { stop: AbortController; unlock?: Unlock }>();
  port.on('message', (request: LockRequest) => {
    if (request.type === 'refused') return onRefused(request.why);
    const { id } = request;
    const known = held.get(id);
    if (request.type === 'leave') {
      held.delete(id);
      known?.stop.abort();
      return known?.unlock?.();
    }
    const stop = new AbortController();
    held.set(id, { stop });
    locks.take(request.name, { waits: request.waits, signal: stop.signal }).then(
      (unlock) => {
        if (stop.signal.aborted) return unlock?.();
        if (unlock) held.set(id, { stop, unlock });
        else held.delete(id);
        const answer: LockAnswer = { id, isHeld: unlock !== undefined };
        port.postMessage(answer);
      },
      () => {},
    );
  });
  return () => {
    for (const { stop, unlock } of held.values()) {
      stop.abort();
      unlock?.();
    }
    held.clear();
    port.close();
  };
}

/** The thread's end. */
export class ThreadLocks implements Locks {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, (isHeld: boolean) => void>();
  #count = 0;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', ({ id, isHeld }: LockAnswer) => {
      this.#waiting.get(id)?.(isHeld);
      this.#waiting.delete(id);
    });
    // A thread that has nothing else to do may end.
    port.unref();
  }

  async take(name: string, { waits, signal }: TakeOptions): Promise<Unlock | undefined> {
    signal.throwIfAborted();
    const id = this.#count++;
    const leave = (): void => this.#send({ type: 'leave', id });
    const isHeld = await new Promise<boolean>((resolve, reject) => {
      this.#waiting.set(id, resolve);
      this.#send({ type: 'take', id, name, waits });
      signal.addEventListener('abort', () => {
        if (!this.#waiting.delete(id)) return;
        leave();
        reject(signal.reason as Error);
      });
    });
    return isHeld ? leave : undefined;
  }

  #send(request: LockRequest): void {
    this.#port.postMessage(request);
  }
}
