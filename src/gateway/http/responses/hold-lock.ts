/** Locks that all tabs of the origin share, where there are such. @module */
import { Deadline } from '../../scheduler/deadline.js';

/** Lets go of a lock. */
export type Release = () => void;

/**
 * Waits until nobody else holds the lock.
 * @param seconds of the wait
 * @throws InferenceError `timeout`, or `cancelled` when the signal aborts
 */
export async function holdLock(name: string, signal: AbortSignal, seconds: number): Promise<Release> {
  const deadline = new Deadline(seconds, signal);
  deadline.start();
  try {
    return await (typeof navigator === 'object' && 'locks' in navigator ? holdShared : holdLocal)(
      name,
      deadline.signal,
    );
  } catch (thrown) {
    throw deadline.signal.aborted ? deadline.signal.reason : thrown;
  } finally {
    deadline.dispose();
  }
}

/** Undefined: somebody holds it. */
export function tryLock(name: string): Promise<Release | undefined> {
  if (typeof navigator !== 'object' || !('locks' in navigator)) {
    return held.has(name) ? Promise.resolve(undefined) : holdLocal(name, new AbortController().signal);
  }
  return new Promise((resolve, reject) => {
    const granted = (lock: Lock | null): Promise<void> | undefined => {
      if (lock) return new Promise((release) => resolve(release));
      resolve(undefined);
      return undefined;
    };
    navigator.locks.request(name, { ifAvailable: true }, granted).catch(reject);
  });
}

function holdShared(name: string, signal: AbortSignal): Promise<Release> {
  return new Promise((resolve, reject) => {
    const granted = (): Promise<void> => new Promise((release) => resolve(release));
    navigator.locks.request(name, { signal }, granted).catch(reject);
  });
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
