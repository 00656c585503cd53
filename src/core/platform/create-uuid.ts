/** Creates uuids, also outside of secure contexts. @module */

/**
 * A random (version 4) uuid. `crypto.randomUUID` exists only in secure contexts, as Service Workers are; elsewhere the browser makes one
 * as the end of an object URL. The Service Worker is built without this.
 */
export function createUuid(): string {
  if (globalThis.isSecureContext || 'randomUUID' in crypto) return crypto.randomUUID();
  const url = URL.createObjectURL(new Blob());
  URL.revokeObjectURL(url);
  return url.slice(-36);
}
