/**
 * Knowing that a peer is dead. No message says so: a worker that is terminated, a tab that is closed or crashes just falls
 * silent. But the browser releases its Web Locks. So every realm holds a lock with a random name and tells its peers the
 * name: a peer that is granted the lock knows that its holder is gone.
 * @module
 */
import { createUuid } from '../core/platform/create-uuid.js';
import { availableLocks, noteRefusedLocks, requestLock } from '../core/platform/web-locks.js';

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
    requestLock(locks, name, {}, () => {
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

/** Lifelines that were seen held among the locks of this realm. */
const seen = new Set<string>();

/** Of peers by their lifelines: aborts when the peer is gone. Lasts as long as the peer, because asking the browser has its price. */
const watches = new Map<string, AbortSignal>();

/**
 * Calls `onDeath` once when the holder of the lifeline is gone. Does nothing without a name, without Web Locks, and for a
 * lifeline whose lock this realm does not see: then peers notice the end by silence only. A peer that has just spoken holds
 * its lock; one that is free all the same is held among other locks, as Chromium gives new workers others than those of a
 * page that runs after the site's data was cleared. To ask `query()` would keep pages out of the back/forward cache.
 */
export function onPeerDeath(name: string | undefined, onDeath: () => void, signal: AbortSignal): void {
  const locks = availableLocks();
  if (name === undefined || !locks) return;
  const gone = watches.get(name) ?? watchPeer(name, locks);
  // A function of its own: the same one may be told of two calls.
  gone.addEventListener('abort', () => onDeath(), { signal });
}

function watchPeer(name: string, locks: LockManager): AbortSignal {
  const gone = new AbortController();
  watches.set(name, gone.signal);
  const end = (): unknown => watches.delete(name);
  let granted = false;
  requestLock(locks, name, { mode: 'shared' }, () => {
    granted = true;
    end();
    if (seen.has(name)) gone.abort();
  })
    // A browser that refuses: silence is the only sign of death.
    .catch(end);
  // A lock that nobody holds, asked for right after it: the browser answers in order, so if this one comes first, the other is held.
  if (!seen.has(name)) {
    requestLock(locks, `inpage:probe:${createUuid()}`, {}, () => {
      if (!granted) seen.add(name);
    }).catch(() => {});
  }
  return gone.signal;
}
