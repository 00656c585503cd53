/** A SHA-256 as text: hexadecimal, or as pages write it. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import { toHex } from '../core/platform/to-hex.js';

const HEX = /^[\da-f]{64}$/i;
const INTEGRITY = /^sha256-([A-Za-z\d+/]{43}=)$/;

/** 64 hexadecimal digits. @throws InferenceError `invalid_request` when the text is no SHA-256 */
export function parseSha256(text: string): string {
  if (HEX.test(text)) return text.toLowerCase();
  const base64 = INTEGRITY.exec(text)?.[1];
  if (base64 === undefined) {
    throw new InferenceError(
      'invalid_request',
      'The `integrity` of a model must be SHA-256: hexadecimal, or `sha256-` and base64.',
      {
        param: 'models',
      },
    );
  }
  return toHex(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer);
}

/** `sha256-` and base64. @param hex 64 digits */
export function toIntegrity(hex: string): string {
  const bytes = hex.match(/../g)!.map((pair) => Number.parseInt(pair, 16));
  return `sha256-${btoa(String.fromCharCode(...bytes))}`;
}
