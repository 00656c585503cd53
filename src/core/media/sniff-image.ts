/** What kind of image some bytes are. @module */

/** More than models look at; a small file that claims more would fill the memory when it is decoded, with four bytes each. */
const MAX_PIXELS = 50_000_000;

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

/** Signature, a size, and a first frame of a size. */
function isGif(bytes: Uint8Array): boolean {
  if (bytes.length < 26 || !/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isPlausibleSize(view.getUint16(6, true), view.getUint16(8, true))) return false;
  const flags = bytes[10]!;
  let offset = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  // Extensions, each a list of blocks that an empty one ends.
  while (bytes[offset] === 0x21) {
    offset += 2;
    while (bytes[offset]) offset += 1 + bytes[offset]!;
    offset += 1;
  }
  // Some decoders make the picture as large as the first frame.
  return (
    bytes[offset] === 0x2c &&
    offset + 10 <= bytes.length &&
    isPlausibleSize(view.getUint16(offset + 5, true), view.getUint16(offset + 7, true))
  );
}

/** RIFF container of kind WEBP that is as long as it says, with a known first chunk that names a size. */
function isWebp(bytes: Uint8Array): boolean {
  if (bytes.length < 30 || ascii(bytes, 0, 4) !== 'RIFF' || ascii(bytes, 8, 12) !== 'WEBP') return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(4, true) + 8 > bytes.length + 1) return false;
  switch (ascii(bytes, 12, 16)) {
    case 'VP8 ':
      return isPlausibleSize(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
    case 'VP8L': {
      const sizes = view.getUint32(21, true);
      return isPlausibleSize((sizes & 0x3fff) + 1, ((sizes >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X': {
      const [width, height] = [24, 27].map((at) => 1 + view.getUint16(at, true) + (bytes[at + 2]! << 16));
      return isPlausibleSize(width!, height!);
    }
    default:
      return false;
  }
}
