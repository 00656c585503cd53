/**
 * The index of one file: where its chunks lie, their vectors, and which words they have. It is bytes that are read as they lie
 * on the disk, so that a store of thousands of chunks can be searched as soon as they are read.
 * @module
 */
import type { Chunk } from './chunk-text.js';
import { hashWord, wordsOf } from './words.js';

/** Of a file. Lists that belong together have the same length. */
export interface FileIndex {
  /** Of each chunk: its first character, the one behind it, its words. */
  starts: Uint32Array;
  ends: Uint32Array;
  lengths: Uint32Array;
  /** Numbers of a vector. */
  dimensions: number;
  /** One after the other, of length 1 each; and which chunk each is of. */
  vectors: Float32Array;
  owners: Uint32Array;
  /** Hashes of the words, in order; where the places of each begin; places: which chunk has it, and how often. */
  words: Uint32Array;
  places: Uint32Array;
  chunks: Uint32Array;
  counts: Uint32Array;
  /** Words of all chunks. */
  totalLength: number;
}

/** What the first number of an index is: another layout has another. */
const LAYOUT = 0x1f110001;
const HEAD = 8;

export function encodeIndex(
  text: string,
  chunks: readonly Chunk[],
  vectors: readonly Float32Array[],
): Uint8Array<ArrayBuffer> {
  const { words, places, chunksOf, counts, lengths } = invert(text, chunks);
  const dimensions = vectors[0]?.length ?? 0;
  const owners = vectors.length === 0 ? [] : chunks.flatMap(({ parts }, index) => parts.map(() => index));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const lists: readonly ArrayLike<number>[] = [
    [LAYOUT, chunks.length, vectors.length, dimensions, words.length, counts.length, total, 0],
    chunks.map(({ start }) => start),
    chunks.map(({ end }) => end),
    lengths,
    owners,
    words,
    places,
    chunksOf,
    counts,
  ];
  const numbers = lists.reduce((sum, list) => sum + list.length, 0);
  const bytes = new Uint8Array(4 * (numbers + vectors.length * dimensions));
  const all = new Uint32Array(bytes.buffer);
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  const floats = new Float32Array(bytes.buffer, 4 * at);
  for (const [index, vector] of vectors.entries()) floats.set(vector, index * dimensions);
  return bytes;
}

/** Undefined: it is of another layout. */
export function decodeIndex(bytes: Uint8Array<ArrayBuffer>): FileIndex | undefined {
  if (bytes.length < 4 * HEAD || bytes.length % 4 !== 0) return undefined;
  const own = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const all = new Uint32Array(own.buffer, own.byteOffset, own.length / 4);
  const [layout, chunks, vectors, dimensions, words, places, totalLength] = all as unknown as number[];
  if (layout !== LAYOUT) return undefined;
  let at = HEAD;
  const take = (length: number): Uint32Array => all.subarray(at, (at += length));
  return {
    starts: take(chunks!),
    ends: take(chunks!),
    lengths: take(chunks!),
    owners: take(vectors!),
    words: take(words!),
    places: take(words! + 1),
    chunks: take(places!),
    counts: take(places!),
    vectors: new Float32Array(all.buffer, all.byteOffset + 4 * at, vectors! * dimensions!),
    dimensions: dimensions!,
    totalLength: totalLength!,
  };
}

/** Which chunks have which words. */
function invert(text: string, chunks: readonly Chunk[]) {
  const found = new Map<number, number[]>();
  const lengths = chunks.map(({ start, end }, chunk) => {
    const words = wordsOf(text.slice(start, end));
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) {
      const hash = hashWord(word);
      const list = found.get(hash);
      if (list) list.push(chunk, count);
      else found.set(hash, [chunk, count]);
    }
    return words.length;
  });
  const words = Uint32Array.from(found.keys()).toSorted();
  const places: number[] = [0];
  const chunksOf: number[] = [];
  const counts: number[] = [];
  for (const hash of words) {
    const list = found.get(hash)!;
    for (let at = 0; at < list.length; at += 2) {
      chunksOf.push(list[at]!);
      counts.push(list[at + 1]!);
    }
    places.push(chunksOf.length);
  }
  return { words, places, chunksOf, counts, lengths };
}

/** Where the places of a word begin and end in an index; undefined: it is in no chunk. */
export function placesOf({ words, places }: FileIndex, hash: number): [from: number, to: number] | undefined {
  let low = 0;
  let high = words.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const word = words[middle]!;
    if (word === hash) return [places[middle]!, places[middle + 1]!];
    if (word < hash) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}
