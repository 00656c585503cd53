/** Web Locks that another realm holds until it dies. */

type Granted = () => unknown;

/** @param waits is given what ends the realm, when somebody waits for its lock */
export function heldLocks(waits: (dies: () => void) => void): { request: unknown } {
  const request = (name: string, ...rest: [Granted] | [object, Granted]): Promise<unknown> => {
    const granted = rest.at(-1) as Granted;
    // Nobody holds it: it only shows that the other one is held.
    if (name.startsWith('inpage:probe:')) return Promise.resolve(granted());
    return new Promise((resolve) => waits(() => resolve(granted())));
  };
  return { request };
}
