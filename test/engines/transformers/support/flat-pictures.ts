/** Pictures of one colour for Node, which has no canvas. */
import type { Picture } from '../classes/pictures.js';

const TYPE = 'image/flat';

/** A file that the canvas below reads. */
export function drawFlat({ width, height, grey }: Picture): Blob {
  return new Blob([Uint16Array.of(width, height, grey)], { type: TYPE });
}

/** A canvas whose pixels are all alike: enough to scale a picture of one colour. */
class FlatCanvas implements Picture {
  grey = 0;
  readonly width: number;
  readonly height: number;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
  }

  getContext(): object {
    return {
      fillRect() {},
      drawImage: ({ grey }: Picture) => (this.grey = grey),
      putImageData: ({ data }: FlatPixels) => (this.grey = data[0]!),
      getImageData: (_x: number, _y: number, width: number, height: number) => {
        const data = new Uint8ClampedArray(4 * width * height).fill(this.grey);
        for (let alpha = 3; alpha < data.length; alpha += 4) data[alpha] = 255;
        return new FlatPixels(data, width, height);
      },
    };
  }
}

class FlatPixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}

/** Gives this realm what transformers.js asks a browser for. Call it before the library is imported. */
export function installCanvas(): void {
  const createImageBitmap = async (file: Blob): Promise<object> => {
    const [width, height, grey] = new Uint16Array(await file.arrayBuffer());
    return { width, height, grey, close() {} };
  };
  const own = { OffscreenCanvas: FlatCanvas, ImageData: FlatPixels, createImageBitmap };
  Object.assign(globalThis, own, { self: globalThis, window: { document: {} } });
}
