/** How packed weights lie in the kernels' memory. @module */
import type { TensorKind } from './file/tensor-kinds.js';

/**
 * The layouts that `KernelExports.multiply` reads. Rows lie in groups of 4, the last one padded with rows of zeros; a group is a
 * sequence of blocks of 32 columns, or of superblocks of 256. Vectors have 16 bytes:
 * - nibbles: 4 vectors; byte r x 4 + c of vector j holds of row r the columns j x 4 + c (low) and 16 + j x 4 + c (high);
 * - bytes: 8 vectors; byte r x 4 + c of vector j holds row r, column j x 4 + c;
 * - pairs of bits: 2 vectors; byte r x 4 + c of vector j holds of row r the columns i x 8 + j x 4 + c, for i from 0 to 3 (low to high);
 *   their third bits, where codes have three: one vector, whose byte r x 4 + c has bit i x 2 + j for each of these.
 *
 * | kind | before the codes | codes | weight |
 * | --- | --- | --- | --- |
 * | `Q4_0` | 4 scales | nibbles | scale x (code - 8) |
 * | `Q4_1` | 4 scales, 4 minima | nibbles | scale x code - minimum |
 * | `Q8_0` | 4 scales | bytes | scale x (code - 128) |
 * | `Q4_K` | 4 scales, 4 minima, 8 x (4 + 4 bytes that multiply them) | 8 x nibbles | scale x code - minimum |
 * | `Q5_K` | the same | 8 x bytes | the same |
 * | `Q6_K` | 4 scales, 8 x (4 + 4 signed bytes that multiply them, for 16 columns each) | 8 x bytes | scale x (code - 32) |
 * | `Q5_1` | 4 scales, 4 minima | bytes | scale x code - minimum |
 * | `Q2_K` | 4 scales, 4 minima, 8 x (4 + 4 bytes for 16 columns each: what multiplies scale (low four bits) and minimum) | 8 x pairs of bits | scale x code - minimum |
 * | `Q3_K` | as `Q6_K` | 8 x pairs of bits with third ones | scale x (code - 4) |
 * | `Q5_0` | 4 scales | bytes | scale x (code - 16) |
 * | `IQ4_NL` | 4 scales | nibbles | scale x what a table has for the code |
 * | `IQ4_XS` | 4 scales, 8 x 4 signed bytes that multiply them | 8 x nibbles | the same |
 * | `MXFP4` | 4 exponents in a byte each | nibbles | scale x what a table has for the code |
 * | `F16`, `BF16`, `F32` | | 4 numbers for each column | |
 *
 * Scales and minima are 16-bit floats, as in the file: a group is as large as its rows there, but for 5 and 6 bits, which take a byte.
 */
export const PackedKind = {
  Q4_0: 0,
  Q8_0: 1,
  Q4_1: 2,
  Q4_K: 3,
  Q5_K: 4,
  Q6_K: 5,
  Q5_1: 6,
  Q2_K: 7,
  Q3_K: 8,
  Q5_0: 9,
  IQ4_NL: 10,
  IQ4_XS: 11,
  MXFP4: 12,
  F16: 16,
  BF16: 17,
  F32: 18,
} as const;
export type PackedKind = (typeof PackedKind)[keyof typeof PackedKind];

/** Bytes of 4 rows, for so many columns. */
const SIZES: Readonly<Record<PackedKind, { bytes: number; columns: number }>> = {
  [PackedKind.Q4_0]: { bytes: 72, columns: 32 },
  [PackedKind.Q8_0]: { bytes: 136, columns: 32 },
  [PackedKind.Q4_1]: { bytes: 80, columns: 32 },
  [PackedKind.Q4_K]: { bytes: 592, columns: 256 },
  [PackedKind.Q5_K]: { bytes: 1104, columns: 256 },
  [PackedKind.Q6_K]: { bytes: 1096, columns: 256 },
  [PackedKind.Q5_1]: { bytes: 144, columns: 32 },
  [PackedKind.Q2_K]: { bytes: 336, columns: 256 },
  [PackedKind.Q3_K]: { bytes: 456, columns: 256 },
  [PackedKind.Q5_0]: { bytes: 136, columns: 32 },
  [PackedKind.IQ4_NL]: { bytes: 72, columns: 32 },
  [PackedKind.IQ4_XS]: { bytes: 552, columns: 256 },
  [PackedKind.MXFP4]: { bytes: 68, columns: 32 },
  [PackedKind.F16]: { bytes: 256, columns: 32 },
  [PackedKind.BF16]: { bytes: 256, columns: 32 },
  [PackedKind.F32]: { bytes: 512, columns: 32 },
};

/** Kinds that are brought to another one first: see `gguf-rare-kinds.ts`. */
const RARE: Readonly<Partial<Record<TensorKind, 'Q8_0' | 'F16'>>> = {
  Q1_0: 'Q8_0',
  Q2_0: 'Q8_0',
  TQ1_0: 'Q8_0',
  TQ2_0: 'Q8_0',
  IQ1_S: 'Q8_0',
  IQ2_XXS: 'Q8_0',
  IQ3_XXS: 'Q8_0',
  IQ3_S: 'Q8_0',
  // Their scales are of 16 numbers each.
  NVFP4: 'F16',
  IQ1_M: 'F16',
  IQ2_XS: 'F16',
  IQ2_S: 'F16',
};

/**
 * The kind that one is brought to before it is packed; undefined: it is packed as it is.
 * @param isExact nothing of it may be rounded: their scales have up to 16 bits
 */
export function repackedAs(kind: TensorKind, isExact = false): 'Q8_0' | 'F16' | 'F32' | undefined {
  return RARE[kind] && isExact ? 'F32' : RARE[kind];
}

/** The layout that holds a tensor of this kind; undefined for kinds that are not computed with. */
export function packedKindOf(kind: TensorKind, isExact = false): PackedKind | undefined {
  return (PackedKind as Partial<Record<TensorKind, PackedKind>>)[repackedAs(kind, isExact) ?? kind];
}

/** Whether weights are floats: they are multiplied by activations of 32 bits (`interleave`), others by 8 bits (`quantize`). */
export const isFloatKind = (kind: PackedKind): boolean => kind >= PackedKind.F16;

/** A matrix in the kernels' memory. */
export interface PackedWeights {
  readonly kind: PackedKind;
  /** Byte offset; divisible by 16. */
  readonly at: number;
  /** Of the matrix, without padding: how many numbers a product has. */
  readonly rows: number;
  /** Divisible by 32: how many numbers it takes. */
  readonly columns: number;
  /** Products are multiplied by it. */
  readonly factor?: number;
}

/** Groups of 4 rows, the last one padded. Products write 4 numbers for each. */
export const groupsOf = (rows: number): number => Math.ceil(rows / 4);

/**
 * Bytes that a matrix occupies.
 * @param columns whole blocks
 */
export function packedBytes(kind: PackedKind, rows: number, columns: number): number {
  const size = SIZES[kind];
  return groupsOf(rows) * (columns / size.columns) * size.bytes;
}

/** Some rows of a matrix as a matrix. @param first divisible by 4 */
export function rowsOf({ kind, at, columns }: PackedWeights, first: number, rows: number): PackedWeights {
  return { kind, at: at + packedBytes(kind, first, columns), rows, columns };
}

/** Columns that a row must be a multiple of. */
export const columnsOfBlock = (kind: PackedKind): number => SIZES[kind].columns;
