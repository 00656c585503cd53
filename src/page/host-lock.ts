/** Which tab hosts. @module */

/** Name of the lock whose holder hosts the group's engine. */
export function hostLock(group: string): string {
  return `inpage:host:${group}`;
}
