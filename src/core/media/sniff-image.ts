/** What kind of image some bytes are. @module */

/** More than models look at; a small file that claims more would fill the memory when it is decoded, with four bytes each. */
const MAX_PIXELS = 50_000_000;

/** What an image's header says. */
export interface SniffedImage {
  mediaType: string;
  /** Width times height. */
  pixels: number;
}

/** What a png, jpeg, webp or gif with a plausible header and size says of itself; undefined for anything else. */
export function sniffImage(bytes: Uint8Array): SniffedImage | undefined {
  for (const [mediaType, pixelsOf] of FORMATS) {
    const pixels = pixelsOf(bytes);
    if (pixels !== undefined) return { mediaType, pixels };
  }
  return undefined;
}

const FORMATS: readonly [string, (bytes: Uint8Array) => number | undefined][] = [
  ['image/png', pixelsOfPng],
  ['image/jpeg', pixelsOfJpeg],
  ['image/gif', pixelsOfGif],
  ['image/webp', pixelsOfWebp],
];

/** The number of pixels; undefined for a size that no image has. */
function plausibleSize(width: number, height: number): number | undefined {
  return width > 0 && height > 0 && width * height <= MAX_PIXELS ? width * height : undefined;
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}

/** Signature, IHDR with a size, and at least one IDAT. */
function pixelsOfPng(bytes: Uint8Array): number | undefined {
  if (bytes.length < 57 || ascii(bytes, 0, 8) !== '\x89PNG\r\n\x1a\n' || ascii(bytes, 12, 16) !== 'IHDR')
    return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let offset = 8; offset + 12 <= bytes.length; offset += 12 + view.getUint32(offset)) {
    if (ascii(bytes, offset + 4, offset + 8) !== 'IDAT') continue;
    const isWhole = offset + 12 + view.getUint32(offset) <= bytes.length;
    return isWhole ? plausibleSize(view.getUint32(16), view.getUint32(20)) : undefined;
  }
  return undefined;
}

/** Start marker, then segments up to a frame header and a scan. */
function pixelsOfJpeg(bytes: Uint8Array): number | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let pixels: number | undefined;
  let offset = 2;
  while (offset + 4 <= bytes.length && bytes[offset] === 0xff) {
    const marker = bytes[offset + 1] ?? 0;
    if (marker === 0xda) return pixels;
    // C4, C8 and CC are no frame headers although they lie in their range.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      if (offset + 9 > bytes.length) return undefined;
      pixels = plausibleSize(view.getUint16(offset + 7), view.getUint16(offset + 5));
      if (pixels === undefined) return undefined;
    }
    offset += marker === 0xff ? 1 : 2 + view.getUint16(offset + 2);
  }
  return undefined;
}

/** Signature, a size, and a first frame of a size. */
function pixelsOfGif(bytes: Uint8Array): number | undefined {
  if (bytes.length < 26 || !/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const canvas = plausibleSize(view.getUint16(6, true), view.getUint16(8, true));
  const flags = bytes[10]!;
  let offset = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  // Extensions, each a list of blocks that an empty one ends.
  while (bytes[offset] === 0x21) {
    offset += 2;
    while (bytes[offset]) offset += 1 + bytes[offset]!;
    offset += 1;
  }
  if (bytes[offset] !== 0x2c || offset + 10 > bytes.length) return undefined;
  // Some decoders make the picture as large as the first frame.
  const frame = plausibleSize(view.getUint16(offset + 5, true), view.getUint16(offset + 7, true));
  return canvas === undefined || frame === undefined ? undefined : Math.max(canvas, frame);
}

/** RIFF container of kind WEBP that is as long as it says, with a known first chunk that names a size. */
function pixelsOfWebp(bytes: Uint8Array): number | undefined {
  if (bytes.length < 30 || ascii(bytes, 0, 4) !== 'RIFF' || ascii(bytes, 8, 12) !== 'WEBP') return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(4, true) + 8 > bytes.length + 1) return undefined;
  switch (ascii(bytes, 12, 16)) {
    case 'VP8 ':
      return plausibleSize(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
    case 'VP8L': {
      const sizes = view.getUint32(21, true);
      return plausibleSize((sizes & 0x3fff) + 1, ((sizes >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X': {
      const [width, height] = [24, 27].map((at) => 1 + view.getUint16(at, true) + (bytes[at + 2]! << 16));
      return plausibleSize(width!, height!);
    }
    default:
      return undefined;
  }
}
