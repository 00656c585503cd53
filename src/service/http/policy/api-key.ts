/** Who is calling: the credential of a request against the configured keys. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ApiKey } from '../../../core/models/inference-options.js';
import { toHex } from '../../../core/platform/to-hex.js';

/** Identifies callers. `identify` gives the name of the caller's counters: a digest, never the key. */
export interface KeyRing {
  /** @throws InferenceError `unauthenticated` */
  identify: (headers: Headers) => Promise<string>;
}

/** Callers without a credential, where none is asked for. */
const ANONYMOUS = 'anonymous';

/** @param keys absent: every credential and none is accepted */
export function createKeyRing(keys: readonly ApiKey[] | undefined): KeyRing {
  if (keys === undefined) return { identify: identifyAnyone };
  const known = Promise.all(
    keys
      .map((entry) => (typeof entry === 'string' ? { key: entry } : entry))
      .map(async (entry) => ({ digest: await digest(entry.key), revoked: entry.revoked === true })),
  );
  return {
    async identify(headers) {
      const presented = credential(headers);
      if (presented === undefined) {
        throw new InferenceError(
          'unauthenticated',
          'An API key is required: send it as `Authorization: Bearer <key>`.',
        );
      }
      const name = await digest(presented);
      // Every key is compared, whatever the others said, so the time tells nothing.
      let accepted = 0;
      for (const entry of await known)
        accepted |= Number(equalInConstantTime(entry.digest, name)) & Number(!entry.revoked);
      if (accepted === 0) throw new InferenceError('unauthenticated', 'The API key is incorrect or has been revoked.');
      return name;
    },
  };
}

async function identifyAnyone(headers: Headers): Promise<string> {
  const presented = credential(headers);
  // Without a secure context there is no digest; then all callers share the counters.
  if (presented === undefined || globalThis.crypto.subtle === undefined) return ANONYMOUS;
  return digest(presented);
}

/** The key of `Authorization: Bearer <key>`, or of `x-api-key` when there is no `Authorization`. */
function credential(headers: Headers): string | undefined {
  const authorization = headers.get('authorization');
  const key = authorization === null ? headers.get('x-api-key')?.trim() : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  return key === '' ? undefined : key;
}

/** SHA-256 in hexadecimal. */
async function digest(text: string): Promise<string> {
  return toHex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

/** Looks at every character of two digests of the same length. */
function equalInConstantTime(left: string, right: string): boolean {
  let difference = 0;
  for (let index = 0; index < left.length; index += 1) difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  return difference === 0;
}
