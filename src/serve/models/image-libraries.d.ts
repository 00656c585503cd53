/** Libraries without types of their own, as far as they are used. */
declare module 'upng-js' {
  interface Png {
    width: number;
    height: number;
  }
  const UPNG: { decode(bytes: ArrayBuffer): Png; toRGBA8(png: Png): ArrayBuffer[] };
  export default UPNG;
}

declare module 'omggif' {
  export class GifReader {
    constructor(bytes: Uint8Array);
    width: number;
    height: number;
    decodeAndBlitFrameRGBA(frame: number, pixels: Uint8Array): void;
  }
}
