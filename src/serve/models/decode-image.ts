/** Decodes pictures where no browser does: PNG, JPEG, GIF and WebP, as a browser shows them. @module */
import initWebp from '@jsquash/webp/codec/dec/webp_dec.js';
import jpeg from 'jpeg-js';
import { readFile } from 'node:fs/promises';
import { GifReader } from 'omggif';
import { crc32 } from 'node:zlib';
import UPNG from 'upng-js';

/** Four bytes a pixel, row after row. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray<ArrayBuffer>;
}

/** Compiled for WebP; beside this module in the built package. */
const WEBP = new URL('./webp_dec.wasm', import.meta.url);

/** @throws Error for what is no picture of a known kind, or broken */
export async function decodeImage(bytes: Uint8Array<ArrayBuffer>): Promise<Pixels> {
  const begin = String.fromCharCode(...bytes.subarray(0, 12));
  if (begin.startsWith('\x89PNG')) return decodePng(bytes);
  if (begin.startsWith('\xff\xd8')) return decodeJpeg(bytes);
  if (begin.startsWith('GIF8')) return decodeGif(bytes);
  if (begin.startsWith('RIFF') && begin.endsWith('WEBP')) return decodeWebp(bytes);
  throw new Error('The picture is of an unknown kind.');
}

function decodePng(bytes: Uint8Array<ArrayBuffer>): Pixels {
  checkChunks(bytes);
  const png = UPNG.decode(bytes.slice().buffer);
  const [first] = UPNG.toRGBA8(png);
  if (!first) throw new Error('The picture is empty.');
  return { width: png.width, height: png.height, data: new Uint8ClampedArray(first) };
}

/** The library takes what it finds. @throws Error where chunks are broken, or the picture has none */
function checkChunks(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hasPixels = false;
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 8 + view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (name === 'IEND') break;
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== view.getUint32(end))
      throw new Error('The picture is broken.');
    hasPixels ||= name === 'IDAT';
    at = end + 4;
  }
  if (!hasPixels) throw new Error('The picture is broken.');
}

function decodeJpeg(bytes: Uint8Array<ArrayBuffer>): Pixels {
  // Its size was checked with the request.
  const limits = { maxResolutionInMP: 1_000, maxMemoryUsageInMB: 4_096 };
  const { width, height, data } = jpeg.decode(bytes, { useTArray: true, formatAsRGBA: true, ...limits });
  return turned({ width, height, data: new Uint8ClampedArray(data) }, orientationOf(bytes));
}

function decodeGif(bytes: Uint8Array<ArrayBuffer>): Pixels {
  const gif = new GifReader(bytes);
  const pixels = new Uint8Array(gif.width * gif.height * 4);
  gif.decodeAndBlitFrameRGBA(0, pixels);
  return { width: gif.width, height: gif.height, data: new Uint8ClampedArray(pixels) };
}

async function decodeWebp(bytes: Uint8Array<ArrayBuffer>): Promise<Pixels> {
  const compiled = await WebAssembly.compile(new Uint8Array(await readFile(WEBP)));
  const decoder = await initWebp({
    noInitialRun: true,
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      const instance = new WebAssembly.Instance(compiled, imports);
      done(instance);
      return instance.exports;
    },
  });
  const decoded = decoder.decode(bytes) as Pixels | null;
  if (!decoded) throw new Error('The picture is broken.');
  return decoded;
}

/** The EXIF orientation of a JPEG file, 1 to 8; 1 where it has none. */
function orientationOf(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== 0xda;) {
    const [marker, length] = [bytes[at + 1]!, view.getUint16(at + 2)];
    const isExif = marker === 0xe1 && view.byteLength >= at + 20 && view.getUint32(at + 4) === 0x45786966;
    if (isExif)
      return orientationIn(
        new DataView(bytes.buffer, bytes.byteOffset + at + 10, Math.min(length - 8, bytes.length - at - 10)),
      );
    at += 2 + length;
  }
  return 1;
}

/** @param tiff what stands behind `Exif` */
function orientationIn(tiff: DataView): number {
  try {
    const isLittle = tiff.getUint16(0) === 0x4949;
    const directory = tiff.getUint32(4, isLittle);
    const count = tiff.getUint16(directory, isLittle);
    for (let entry = 0; entry < count; entry++) {
      const at = directory + 2 + entry * 12;
      if (tiff.getUint16(at, isLittle) === 0x0112) return tiff.getUint16(at + 8, isLittle);
    }
  } catch {
    // It is cut.
  }
  return 1;
}

/** A picture as its orientation says that it is meant. */
function turned(picture: Pixels, orientation: number): Pixels {
  if (!(orientation >= 2 && orientation <= 8)) return picture;
  const { width, height } = picture;
  const isOnItsSide = orientation >= 5;
  const [wide, high] = isOnItsSide ? [height, width] : [width, height];
  const from = new Uint32Array(picture.data.buffer);
  const to = new Uint32Array(wide * high);
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      const [right, down] = [wide - 1 - x, high - 1 - y];
      const [sourceX, sourceY] = [
        [x, y],
        [right, y],
        [right, down],
        [x, down],
        [y, x],
        [y, right],
        [down, right],
        [down, x],
      ][orientation - 1] as [number, number];
      to[y * wide + x] = from[sourceY * width + sourceX]!;
    }
  }
  return { width: wide, height: high, data: new Uint8ClampedArray(to.buffer) };
}
