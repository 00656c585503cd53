/** Tells requests apart that a recording was made of. @module */
import { toHex } from '../platform/to-hex.js';
import type { GenerationRequest } from './generation-request.js';
import type { TranscriptionRequest } from './transcription-request.js';

/** Left out: names of models, ids of calls and requests (made again each time), and what the words of an answer do not depend on. */
const LEFT_OUT = new Set([
  'model',
  'id',
  'requestId',
  'toolCallId',
  'sampling',
  'paramNames',
  'cachePrompt',
  'fileName',
]);

/** Hexadecimal digits of the fingerprint: 64 bits. */
const LENGTH = 16;

/**
 * The same for the same question: conversation, tools, output format, limits; or the same recording of sound.
 * @returns undefined where the page has no hash function, because it is neither on https nor on localhost
 */
export async function fingerprintRequest(
  request: GenerationRequest | TranscriptionRequest,
): Promise<string | undefined> {
  const text = JSON.stringify(request, (key, value: unknown) => {
    if (LEFT_OUT.has(key)) return undefined;
    return value instanceof Uint8Array ? toHex(value) : value;
  });
  const subtle = (crypto as Partial<Crypto>).subtle;
  return subtle && toHex(await subtle.digest('SHA-256', new TextEncoder().encode(text))).slice(0, LENGTH);
}
