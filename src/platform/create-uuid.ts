/** Uuids everywhere. @module */

/**
 * A random (version 4) uuid: 120 random bits, the rest says what it is. `crypto.randomUUID` exists only in secure contexts,
 * random bytes exist everywhere.
 */
export function createUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(30));
  let next = 0;
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () => (bytes[next++]! & 15).toString(16));
}
