/** What kind of image some bytes are. @module */

/** More than any camera makes; a small file that claims more would fill the memory when it is decoded. */
const MAX_PIXELS = 200_000_000;

/** The media type of a png, jpeg, webp or gif with a plausible header and size; undefined for anything else. */
export function sniffImage(bytes: Uint8Array): string | undefined {
  if (isPng(bytes)) return 'image/png';
  if (isJpeg(bytes)) return 'image/jpeg';
  if (isGif(bytes)) return 'image/gif';
  if (isWebp(bytes)) return 'image/webp';
  return undefined;
}

function isPlausibleSize(width: number, height: number): boolean {
  return width > 0 && height > 0 && width * height <= MAX_PIXELS;
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}

/** Signature, IHDR with a size, and at least one IDAT. */
function isPng(bytes: Uint8Array): boolean {
  if (bytes.length < 57 || ascii(bytes, 0, 8) !== '\x89PNG\r\n\x1a\n' || ascii(bytes, 12, 16) !== 'IHDR') return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isPlausibleSize(view.getUint32(16), view.getUint32(20))) return false;
  for (let offset = 8; offset + 12 <= bytes.length; offset += 12 + view.getUint32(offset)) {
    if (ascii(bytes, offset + 4, offset + 8) === 'IDAT') return offset + 12 + view.getUint32(offset) <= bytes.length;
  }
  return false;
}

/** Start marker, then segments up to a frame header and a scan. */
function isJpeg(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hasFrame = false;
  let offset = 2;
  while (offset + 4 <= bytes.length && bytes[offset] === 0xff) {
    const marker = bytes[offset + 1] ?? 0;
    if (marker === 0xda) return hasFrame;
    // C4, C8 and CC are no frame headers although they lie in their range.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      if (offset + 9 > bytes.length || !isPlausibleSize(view.getUint16(offset + 7), view.getUint16(offset + 5)))
        return false;
      hasFrame = true;
    }
    offset += marker === 0xff ? 1 : 2 + view.getUint16(offset + 2);
  }
  return false;
}

/** Signature, a size, and room for one image block. */
function isGif(bytes: Uint8Array): boolean {
  if (bytes.length < 26 || !/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isPlausibleSize(view.getUint16(6, true), view.getUint16(8, true));
}

/** RIFF container of kind WEBP that is as long as it says, with a known first chunk. */
function isWebp(bytes: Uint8Array): boolean {
  if (bytes.length < 26 || ascii(bytes, 0, 4) !== 'RIFF' || ascii(bytes, 8, 12) !== 'WEBP') return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return /^VP8[ LX]$/.test(ascii(bytes, 12, 16)) && view.getUint32(4, true) + 8 <= bytes.length + 1;
}
