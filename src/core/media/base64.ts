/** Base64 text to bytes and back. @module */

/** Of browsers since Chrome 140, Firefox 133 and Safari 18.2: a recording of 25 MB takes milliseconds, not seconds. */
const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

/** The bytes; undefined when the text is not base64. Line breaks inside are allowed. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return fromBase64 ? fromBase64(text) : fromBinary(atob(text));
  } catch {
    return undefined;
  }
}

function fromBinary(binary: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Arguments that every engine takes in one call. */
const MAX_ARGUMENTS = 8_192;

export function encodeBase64(bytes: Uint8Array & { toBase64?: () => string }): string {
  if (bytes.toBase64) return bytes.toBase64();
  let letters = '';
  for (let from = 0; from < bytes.length; from += MAX_ARGUMENTS)
    letters += String.fromCharCode(...bytes.subarray(from, from + MAX_ARGUMENTS));
  return btoa(letters);
}
