/** A Web Lock as something that is held and given back. @module */

/** Gives it back. */
export type Release = () => void;

/** Takes a lock for as long as the caller wants. Undefined when it is not available and was asked for with `ifAvailable`. */
export function hold(locks: LockManager, name: string, options: LockOptions): Promise<Release | undefined> {
  return new Promise((resolve, reject) => {
    locks
      .request(name, options, (lock) => {
        if (!lock) return resolve(undefined);
        return new Promise<void>((release) => resolve(release));
      })
      .catch(reject);
  });
}
