/** Creates uuids, also outside of secure contexts. @module */

/**
 * A random (version 4) uuid. `crypto.randomUUID` exists only in secure contexts, random bytes exist everywhere; all are
 * drawn at once, because each draw is a system call in Node. Short, because the Service Worker carries it.
 */
export function createUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(36));
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit, at: number) =>
    (Number(digit) ^ (bytes[at]! & (15 >> (Number(digit) / 4)))).toString(16),
  );
}
