/** Samples of 16 bits, bare and in a WAV file. @module */

/** Sizes of a file whose end is not known yet: readers take what is there. */
const UNKNOWN_SIZE = 0xffffffff;

/** -1 to 1 as signed little-endian numbers; what is louder is cut. */
export function toPcm(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  for (let index = 0; index < samples.length; index++) {
    view.setInt16(index * 2, Math.round(Math.max(-1, Math.min(1, samples[index]!)) * 32_767), true);
  }
  return new Uint8Array(view.buffer);
}

/**
 * What stands before such samples in a WAV file of one channel.
 * @param sampleRate Hz
 * @param dataBytes of all samples; absent: not known yet
 */
export function wavHeader(sampleRate: number, dataBytes?: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(44));
  const text = (offset: number, letters: string): void => {
    for (let at = 0; at < letters.length; at++) view.setUint8(offset + at, letters.charCodeAt(at));
  };
  text(0, 'RIFF');
  view.setUint32(4, dataBytes === undefined ? UNKNOWN_SIZE : 36 + dataBytes, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, dataBytes ?? UNKNOWN_SIZE, true);
  return new Uint8Array(view.buffer);
}

/** Pieces of a file in one. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
