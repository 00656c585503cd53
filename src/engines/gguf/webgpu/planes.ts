/**
 * How matrices lie in the GPU's memory: planes, each with the rows one behind the other in blocks of 32 columns. Neighbouring
 * lanes of a product take neighbouring blocks of one row, so that each load of a workgroup is one run of bytes. The bytes of the
 * file are only moved.
 * @module
 */
import type { TensorKind } from '../file/tensor-kinds.js';

/** Of the codes; of bits beyond four, or of codes with fewer; of factors of a block or its halves; of factors of 256 columns. */
export const PLANES = ['codes', 'extra', 'scales', 'supers'] as const;
export type Plane = (typeof PLANES)[number];

/**
 * Bytes of a block in each plane, of `supers` those of 8 blocks.
 *
 * - nibbles: byte i of `codes` has column i (low) and i + 16 (high);
 * - fifth bits: byte c, bit j + 4h of `extra` is that of column 16h + 4j + c; so third bits;
 * - pairs of bits: word h, byte c, bits 2j and 2j + 1 are those of column 16h + 4j + c;
 * - scales of 6 bits, three words for 8 blocks: the lower four of each, then the upper two. Of Q4_K and Q5_K byte j of the first
 *   two words has the scale and the minimum of block j, and nibble j of the third; of Q3_K a half has a nibble, and two bits.
 */
const BLOCK_BYTES: Partial<Record<TensorKind, Readonly<Record<Plane, number>>>> = {
  Q4_0: { codes: 16, extra: 0, scales: 2, supers: 0 },
  Q4_1: { codes: 16, extra: 0, scales: 4, supers: 0 },
  Q5_0: { codes: 16, extra: 4, scales: 2, supers: 0 },
  Q5_1: { codes: 16, extra: 4, scales: 4, supers: 0 },
  Q8_0: { codes: 32, extra: 0, scales: 2, supers: 0 },
  Q2_K: { codes: 0, extra: 8, scales: 2, supers: 4 },
  Q3_K: { codes: 0, extra: 12, scales: 1.5, supers: 2 },
  Q4_K: { codes: 16, extra: 0, scales: 1.5, supers: 4 },
  Q5_K: { codes: 16, extra: 4, scales: 1.5, supers: 4 },
  Q6_K: { codes: 16, extra: 8, scales: 2, supers: 2 },
  IQ4_NL: { codes: 16, extra: 0, scales: 2, supers: 0 },
  IQ4_XS: { codes: 16, extra: 0, scales: 1, supers: 2 },
  MXFP4: { codes: 16, extra: 0, scales: 1, supers: 0 },
  F16: { codes: 64, extra: 0, scales: 0, supers: 0 },
  BF16: { codes: 64, extra: 0, scales: 0, supers: 0 },
  F32: { codes: 128, extra: 0, scales: 0, supers: 0 },
};

/** A number for each plane. */
export type ByPlane = Record<Plane, number>;

/** Bytes of a row in each plane. @param kind one that has shaders */
export function rowBytesOf(kind: TensorKind, columns: number): ByPlane {
  const { codes, extra, scales, supers } = BLOCK_BYTES[kind]!;
  const blocks = columns / 32;
  return { codes: codes * blocks, extra: extra * blocks, scales: scales * blocks, supers: (supers * blocks) / 8 };
}

/** Where the planes of a matrix begin, from its own beginning, and its bytes. */
export function planesOf(kind: TensorKind, rows: number, columns: number): { at: ByPlane; bytes: number } {
  const row = rowBytesOf(kind, columns);
  const at: ByPlane = { codes: 0, extra: 0, scales: 0, supers: 0 };
  let bytes = 0;
  for (const plane of PLANES) {
    at[plane] = bytes;
    bytes = roundUp(bytes + row[plane] * rows, 16);
  }
  return { at, bytes: roundUp(bytes, 256) };
}

export const roundUp = (count: number, step: number): number => Math.ceil(count / step) * step;
