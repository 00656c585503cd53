/** The Web Locks of this realm. @module */

let areRefused = false;

/**
 * The lock manager of this realm, where there is one (secure contexts of browsers). Undefined also after
 * {@link noteRefusedLocks}: a browser that blocks a site's data has them and rejects each request. And in Node, which has
 * them from version 24 on: two threads that wait for each other's locks spin there, and the end of a thread is told by its
 * event `exit` anyway.
 */
export function availableLocks(): LockManager | undefined {
  const locks: LockManager | undefined = globalThis.navigator?.locks;
  return areRefused || (locks && areOfNode(locks)) ? undefined : locks;
}

/** Pages of Electron have `process` too, and the locks of a browser. The Service Worker is built without this. */
function areOfNode(locks: LockManager): boolean {
  const versions = (globalThis as Processed).process?.versions;
  return versions?.node !== undefined && versions.electron === undefined && locks.constructor.name === 'LockManager';
}

interface Processed {
  process?: { versions?: { node?: string; electron?: string } };
}

/** Asks for a lock. Where a script of the page has made `request` throw, it is refused like any other. */
export async function requestLock(
  locks: LockManager,
  name: string,
  options: LockOptions,
  granted: (lock: Lock | null) => unknown,
): Promise<void> {
  await locks.request(name, options, granted);
}

/** Notes that this realm's locks reject every request. */
export function noteRefusedLocks(): void {
  areRefused = true;
}
