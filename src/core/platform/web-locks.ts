/** The Web Locks of this realm. @module */

let areRefused = false;

/**
 * The lock manager of this realm, where there is one (secure contexts of browsers). Undefined also after
 * {@link noteRefusedLocks}: a browser that blocks a site's data has them and rejects each request.
 */
export function availableLocks(): LockManager | undefined {
  return areRefused ? undefined : globalThis.navigator?.locks;
}

/** Notes that this realm's locks reject every request. */
export function noteRefusedLocks(): void {
  areRefused = true;
}
