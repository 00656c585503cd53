/** What kind of image some bytes are. @module */

/**
 * The media type of a png, jpeg, webp or gif with a plausible header, size and end; undefined for anything else.
 */
export function sniffImage(bytes: Uint8Array): string | undefined {
  if (isPng(bytes)) return 'image/png';
  if (isJpeg(bytes)) return 'image/jpeg';
  if (isGif(bytes)) return 'image/gif';
  if (isWebp(bytes)) return 'image/webp';
  return undefined;
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}

/** Signature, IHDR with a size, and at least one IDAT. */
function isPng(bytes: Uint8Array): boolean {
  if (bytes.length < 57 || ascii(bytes, 0, 8) !== '\x89PNG\r\n\x1a\n' || ascii(bytes, 12, 16) !== 'IHDR') return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(16) === 0 || view.getUint32(20) === 0) return false;
  for (let offset = 8; offset + 12 <= bytes.length; offset += 12 + view.getUint32(offset)) {
    if (ascii(bytes, offset + 4, offset + 8) === 'IDAT') return offset + 12 + view.getUint32(offset) <= bytes.length;
  }
  return false;
}

/** Start marker, then segments up to a frame header and a scan. */
function isJpeg(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return false;
  let hasFrame = false;
  let offset = 2;
  while (offset + 4 <= bytes.length && bytes[offset] === 0xff) {
    const marker = bytes[offset + 1] ?? 0;
    if (marker === 0xda) return hasFrame;
    // C4, C8 and CC are no frame headers although they lie in their range.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) hasFrame = true;
    offset += marker === 0xff ? 1 : 2 + (((bytes[offset + 2] ?? 0) << 8) | (bytes[offset + 3] ?? 0));
  }
  return false;
}

/** Signature, a size, and room for one image block. */
function isGif(bytes: Uint8Array): boolean {
  if (bytes.length < 26 || !/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return false;
  return (bytes[6] ?? 0) + (bytes[7] ?? 0) > 0 && (bytes[8] ?? 0) + (bytes[9] ?? 0) > 0;
}

/** RIFF container of kind WEBP that is as long as it says, with a known first chunk. */
function isWebp(bytes: Uint8Array): boolean {
  if (bytes.length < 26 || ascii(bytes, 0, 4) !== 'RIFF' || ascii(bytes, 8, 12) !== 'WEBP') return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return /^VP8[ LX]$/.test(ascii(bytes, 12, 16)) && view.getUint32(4, true) + 8 <= bytes.length + 1;
}
