/** Base64 text to bytes and back. @module */
/** The bytes; undefined when the text is not base64. Line breaks inside are allowed. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Arguments that every engine takes in one call. */
const MAX_ARGUMENTS = 8_192;

export function encodeBase64(bytes: Uint8Array): string {
  let letters = '';
  for (let from = 0; from < bytes.length; from += MAX_ARGUMENTS)
    letters += String.fromCharCode(...bytes.subarray(from, from + MAX_ARGUMENTS));
  return btoa(letters);
}
