/**
 * Lets `toEqual` compare bytes and samples as such: by itself it asks for each of a million indexes as for a property.
 * @module
 */
import { expect } from 'vitest';

const INSTALLED = Symbol.for('inpage.compare-bytes');

function compareBytes(a: unknown, b: unknown): boolean | undefined {
  if (!(a instanceof Uint8Array || a instanceof Float32Array)) return undefined;
  if (!(b instanceof Uint8Array || b instanceof Float32Array)) return undefined;
  // Anything but a plain match is left to vitest, which knows what is said about it.
  if (a.constructor !== b.constructor || a.length !== b.length) return undefined;
  for (let index = 0; index < a.length; index++) if (!Object.is(a[index], b[index])) return undefined;
  return true;
}

// Files that share modules share vitest's list too.
if (!Reflect.has(globalThis, INSTALLED)) {
  Object.defineProperty(globalThis, INSTALLED, { value: true });
  expect.addEqualityTesters([compareBytes]);
}
