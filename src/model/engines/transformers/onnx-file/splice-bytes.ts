/** Changes a few places of a large file without a second copy of the rest. @module */
import { type Message, sizeOf } from './protobuf.js';

/** What stands between two places from now on. */
export interface Edit {
  from: number;
  to: number;
  pieces: Message;
}

/**
 * @param file of no use afterwards
 * @param edits in the order of their places, none over another
 */
export function spliceBytes(file: Uint8Array<ArrayBuffer>, edits: readonly Edit[]): Uint8Array<ArrayBuffer> {
  let shift = 0;
  const parts = edits.map(({ from, to, pieces }, index) => {
    const place = from + shift;
    shift += sizeOf(pieces) - (to - from);
    return { place, pieces, from: to, end: edits[index + 1]?.from ?? file.length, shift };
  });
  const size = file.length + shift;
  const spliced = resized(file, Math.max(size, file.length));
  // What moves towards the end goes first from there, so that nothing is written over before it has moved.
  for (const part of parts.toReversed()) if (part.shift > 0) move(spliced, part);
  for (const part of parts) if (part.shift < 0) move(spliced, part);
  for (const { place, pieces } of parts) {
    let at = place;
    for (const piece of pieces) {
      spliced.set(piece, at);
      at += piece.length;
    }
  }
  return spliced.subarray(0, size);
}

function move(bytes: Uint8Array, { from, end, shift }: { from: number; end: number; shift: number }): void {
  bytes.copyWithin(from + shift, from, end);
}

/** The old buffer is given back at once, where the browser can (Chrome 114, Firefox 122, Safari 17.4), and not some time later. */
function resized(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isWhole = bytes.byteOffset === 0 && bytes.byteLength === buffer.byteLength;
  if (isWhole && typeof buffer.transfer === 'function') return new Uint8Array(buffer.transfer(size));
  const other = new Uint8Array(size);
  other.set(bytes);
  return other;
}
