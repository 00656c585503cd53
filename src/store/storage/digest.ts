/** SHA-256: of bytes, piece by piece of what is too large for memory, and as text. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { HEX, INTEGRITY } from '../../core/models/sha256-text.js';
import { toHex } from '../../core/platform/to-hex.js';

/** Hashes in order; `update` any number of times. */
export interface RunningDigest {
  update(bytes: Uint8Array): void;
  /** 64 hexadecimal digits. */
  digest(): string;
}

/** 64 hexadecimal digits. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (subtle) return toHex(await subtle.digest('SHA-256', bytes));
  // Insecure pages have no WebCrypto.
  const running = await runningSha256();
  running.update(bytes);
  return running.digest();
}

/** WebCrypto hashes only what is in memory as a whole. Twice as fast as the best JavaScript (measured). */
export async function runningSha256(): Promise<RunningDigest> {
  const { createSHA256 } = await import('hash-wasm');
  const hasher = await createSHA256();
  hasher.init();
  return { update: (bytes) => void hasher.update(bytes), digest: () => hasher.digest('hex') };
}

/** The name that git, and so the hub, gives a small file: SHA-1 over a header and the content, 40 digits. */
export async function gitBlobName(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const header = new TextEncoder().encode(`blob ${bytes.length}\0`);
  const blob = new Uint8Array(header.length + bytes.length);
  blob.set(header);
  blob.set(bytes, header.length);
  return toHex(await crypto.subtle.digest('SHA-1', blob));
}

/** 64 hexadecimal digits. @throws InferenceError `invalid_request` when the text is not a SHA-256 */
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
