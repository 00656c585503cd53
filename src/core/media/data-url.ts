/** Data URLs as `fetch()` reads them (RFC 2397 and the Fetch standard). @module */
import { decodeBase64 } from './base64.js';

export interface DataURL {
  /** Type and subtype in small letters, without parameters. */
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What the head of a data URL may be followed by. */
const BASE64 = /; *base64$/i;

/** Undefined for another address, and for one whose content cannot be decoded. */
export function readDataURL(address: string): DataURL | undefined {
  // As addresses are read: blanks around it and line breaks within it are no part of it, nor is a fragment.
  const [url = ''] = address
    .replaceAll(/[\t\n\r]/g, '')
    .trim()
    .split('#', 1);
  const comma = url.indexOf(',');
  if (comma === -1 || !/^data:/i.test(url)) return undefined;
  const head = url.slice('data:'.length, comma).trim();
  const isBase64 = BASE64.test(head);
  const type = (isBase64 ? head.replace(BASE64, '') : head).split(';', 1)[0]!.trim().toLowerCase();
  const content = percentDecoded(url.slice(comma + 1));
  const bytes = isBase64 ? decodeLooseBase64(new TextDecoder('latin1').decode(content)) : content;
  return bytes && { type: type || 'text/plain', bytes };
}

/** Base64 in the url-safe alphabet too, with blanks within it. */
export function decodeLooseBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}

const PERCENT = 0x25;

function percentDecoded(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const value = bytes[index] === PERCENT ? byteOf(bytes, index + 1) : undefined;
    bytes[length++] = value ?? bytes[index]!;
    if (value !== undefined) index += 2;
  }
  return bytes.subarray(0, length);
}

/** Of two hexadecimal digits; undefined when they are none. */
function byteOf(bytes: Uint8Array, at: number): number | undefined {
  const digits = String.fromCharCode(bytes[at] ?? 0, bytes[at + 1] ?? 0);
  return /^[\da-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
}
