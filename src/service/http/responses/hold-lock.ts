/** Locks that all tabs of the origin share, where there are such. @module */
import { availableLocks } from '../../../core/platform/web-locks.js';
import { hold, type Release } from '../../../core/platform/hold-lock.js';
import { Deadline } from '../../scheduler/deadline.js';

export type { Release } from '../../../core/platform/hold-lock.js';

/**
 * Waits until no one else holds the lock.
 * @param seconds of the wait
 * @throws InferenceError `timeout`, or `cancelled` when the signal aborts
 */
export async function holdLock(name: string, signal: AbortSignal, seconds: number): Promise<Release> {
  const deadline = new Deadline(seconds, signal);
  deadline.start();
  const locks = availableLocks();
  try {
    // Only a lock that is asked for with `ifAvailable` may be undefined.
    return locks ? (await hold(locks, name, { signal: deadline.signal }))! : await holdLocal(name, deadline.signal);
  } catch (thrown) {
    throw deadline.signal.aborted ? deadline.signal.reason : thrown;
  } finally {
    deadline.dispose();
  }
}

/** Undefined: someone holds it. */
export async function tryLock(name: string): Promise<Release | undefined> {
  const locks = availableLocks();
  if (locks) return hold(locks, name, { ifAvailable: true });
  return held.has(name) ? undefined : holdLocal(name, new AbortController().signal);
}

/** Per name: settled when the last of those who hold it or wait for it is done. */
const held = new Map<string, Promise<void>>();

function holdLocal(name: string, signal: AbortSignal): Promise<Release> {
  return new Promise((resolve, reject) => {
    const before = held.get(name) ?? Promise.resolve();
    const turn = before.then(async () => {
      if (signal.aborted) return;
      await new Promise<void>((release) => resolve(release));
    });
    held.set(name, turn);
    void turn.then(() => held.get(name) === turn && held.delete(name));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
}
