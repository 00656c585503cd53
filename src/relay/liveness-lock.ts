/**
 * Knowing that a peer is dead. No message says so: a worker that is terminated, a tab that is closed or crashes just falls
 * silent. But the browser releases its Web Locks. So every realm holds a lock with a random name and tells its peers the
 * name: a peer that is granted the lock knows that its holder is gone.
 * @module
 */
import { createUuid } from '../core/platform/create-uuid.js';
import { availableLocks, noteRefusedLocks } from '../core/platform/web-locks.js';

let ownName: Promise<string | undefined> | undefined;

/**
 * Holds this realm's lifeline and gives its name, the same on every call. Undefined where there are no Web Locks:
 * then peers notice the end by silence only. The first call also finds out whether the browser refuses them.
 */
export function ownLivenessLock(): Promise<string | undefined> {
  ownName ??= holdLivenessLock(availableLocks());
  return ownName;
}

/** Holds a new lock for as long as this realm lives. Resolves with its name once it is held, never earlier. */
function holdLivenessLock(locks: LockManager | undefined): Promise<string | undefined> {
  if (!locks) return Promise.resolve(undefined);
  const name = `inpage:life:${createUuid()}`;
  return new Promise((resolve) => {
    const forever = new Promise<never>(() => {});
    locks
      .request(name, () => {
        resolve(name);
        return forever;
      })
      // A browser that refuses (storage blocked) still works, with silence as the only sign of death.
      .catch(() => {
        if (locks === availableLocks()) noteRefusedLocks();
        resolve(undefined);
      });
  });
}

/** Calls `onDeath` once when the holder of the lifeline is gone. Does nothing without a name or without Web Locks. */
export function onPeerDeath(
  name: string | undefined,
  onDeath: () => void,
  signal: AbortSignal,
  locks: LockManager | undefined = availableLocks(),
): void {
  if (name === undefined || !locks || signal.aborted) return;
  locks
    .request(name, { mode: 'shared', signal }, () => {
      if (!signal.aborted) onDeath();
    })
    .catch(() => {}); // Rejects only because `signal` ended the watch.
}
