/** Reads ranges of bytes that come in as a stream, in their order. @module */
import type { ReadRange } from './file/header.js';

/**
 * @param stream bytes of a file from `start` on
 * @returns reads ranges that rise and do not overlap; fewer bytes where the stream ends
 */
export function streamReader(stream: AsyncIterable<Uint8Array>, start: number): ReadRange {
  const pieces = stream[Symbol.asyncIterator]();
  let piece: Uint8Array = new Uint8Array(0);
  /** Where `piece` begins in the file. */
  let at = start;
  const next = async (): Promise<boolean> => {
    const { done, value } = await pieces.next();
    if (done) return false;
    at += piece.length;
    piece = value;
    return true;
  };
  return async (from, to) => {
    while (at + piece.length <= from) if (!(await next())) return new Uint8Array(0);
    if (to <= at + piece.length) return piece.subarray(from - at, to - at);
    const bytes = new Uint8Array(to - from);
    let filled = 0;
    do {
      const part = piece.subarray(from + filled - at, to - at);
      bytes.set(part, filled);
      filled += part.length;
    } while (filled < bytes.length && (await next()));
    return bytes.subarray(0, filled);
  };
}
