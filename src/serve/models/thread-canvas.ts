/** Pictures in a thread of Node, as far as engines use what browsers have for them. @module */
import type { Pixels } from './decode-image.js';

/** As browsers have it. */
export class SoftwareImageData implements Pixels {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
  readonly colorSpace = 'srgb';

  constructor(data: Uint8ClampedArray<ArrayBuffer>, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}

/** A picture that was decoded. */
interface SoftwareBitmap extends Pixels {
  close(): void;
}

/** Rejects for what cannot be decoded. */
export async function createSoftwareBitmap(file: Blob): Promise<SoftwareBitmap> {
  const { decodeImage } = await import('./decode-image.js');
  return { ...(await decodeImage(new Uint8Array(await file.arrayBuffer()))), close() {} };
}

/** Four channels of a pixel. */
const CHANNELS = 4;

/** A canvas that draws in memory. It has one context. */
export class SoftwareCanvas {
  readonly width: number;
  readonly height: number;
  readonly #context: SoftwareContext;

  constructor(width: number, height: number) {
    this.width = Math.trunc(width);
    this.height = Math.trunc(height);
    this.#context = new SoftwareContext(this.width, this.height);
  }

  getContext(): SoftwareContext {
    return this.#context;
  }

  /** What it shows. */
  get data(): Uint8ClampedArray<ArrayBuffer> {
    return this.#context.pixels.data;
  }
}

/** Where a part of a picture is. */
type Rectangle = readonly [x: number, y: number, width: number, height: number];

class SoftwareContext {
  /** White, or black. */
  fillStyle = 'black';
  readonly pixels: Pixels;

  constructor(width: number, height: number) {
    this.pixels = { width, height, data: new Uint8ClampedArray(width * height * CHANNELS) };
  }

  /** Fills all of it: nothing asks for less. */
  fillRect(): void {
    const { data } = this.pixels;
    data.fill(this.fillStyle === 'white' ? 255 : 0);
    for (let at = 3; at < data.length; at += CHANNELS) data[at] = 255;
  }

  putImageData({ data }: Pixels): void {
    this.pixels.data.set(data);
  }

  getImageData(x: number, y: number, width: number, height: number): SoftwareImageData {
    const part = new Uint8ClampedArray(width * height * CHANNELS);
    for (let row = 0; row < height; row++) {
      const from = ((y + row) * this.pixels.width + x) * CHANNELS;
      part.set(this.pixels.data.subarray(from, from + width * CHANNELS), row * width * CHANNELS);
    }
    return new SoftwareImageData(part, width, height);
  }

  /** With two, four or eight numbers, as browsers have it: between pixels it takes what lies between them. */
  drawImage(source: Pixels, ...numbers: number[]): void {
    const whole: Rectangle = [0, 0, source.width, source.height];
    const from = numbers.length === 8 ? (numbers.slice(0, 4) as unknown as Rectangle) : whole;
    const [x = 0, y = 0, width = from[2], height = from[3]] = numbers.length === 8 ? numbers.slice(4) : numbers;
    const { pixels } = this;
    const [stepX, stepY] = [from[2] / width, from[3] / height];
    const color = [0, 0, 0, 0];
    for (let row = Math.max(0, Math.round(y)); row < Math.min(pixels.height, Math.round(y + height)); row++) {
      for (let column = Math.max(0, Math.round(x)); column < Math.min(pixels.width, Math.round(x + width)); column++) {
        const at = (row * pixels.width + column) * CHANNELS;
        sample(source, [from[0] + (column + 0.5 - x) * stepX - 0.5, from[1] + (row + 0.5 - y) * stepY - 0.5], color);
        blend(pixels.data, at, color);
      }
    }
  }
}

/** The color at a place between four pixels, into `color`. */
function sample({ width, height, data }: Pixels, [x, y]: readonly [number, number], color: number[]): void {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [right, bottom] = [x - left, y - top];
  const column = (index: number): number => Math.min(width - 1, Math.max(0, index)) * CHANNELS;
  const row = (index: number): number => Math.min(height - 1, Math.max(0, index)) * width * CHANNELS;
  const corners = [
    row(top) + column(left),
    row(top) + column(left + 1),
    row(top + 1) + column(left),
    row(top + 1) + column(left + 1),
  ];
  const shares = [(1 - right) * (1 - bottom), right * (1 - bottom), (1 - right) * bottom, right * bottom];
  for (let channel = 0; channel < CHANNELS; channel++) {
    color[channel] = 0;
    for (let corner = 0; corner < 4; corner++) color[channel]! += shares[corner]! * data[corners[corner]! + channel]!;
  }
}

/** Puts a color over what is there. */
function blend(data: Uint8ClampedArray, at: number, color: readonly number[]): void {
  const opacity = color[3]! / 255;
  for (let channel = 0; channel < 3; channel++)
    data[at + channel] = color[channel]! * opacity + data[at + channel]! * (1 - opacity);
  data[at + 3] = color[3]! + data[at + 3]! * (1 - opacity);
}
