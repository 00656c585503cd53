/** Uuids everywhere. @module */

/**
 * A random (version 4) uuid. `crypto.randomUUID` exists only in secure contexts, random bytes exist everywhere. Short, because
 * the Service Worker carries it.
 */
export function createUuid(): string {
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) =>
    (Number(digit) ^ (crypto.getRandomValues(new Uint8Array(1))[0]! & (15 >> (Number(digit) / 4)))).toString(16),
  );
}
