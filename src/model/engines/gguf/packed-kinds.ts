/** How packed weights lie in the kernels' memory. @module */
import type { TensorKind } from './file/tensor-kinds.js';

/**
 * The layouts that `KernelExports.multiply` reads. Rows lie in groups of 4, the last one padded with rows of zeros; a group is a
 * sequence of blocks of 32 columns, or of superblocks of 256. Vectors have 16 bytes:
 * - nibbles: 4 vectors; byte r x 4 + c of vector j holds of row r the columns j x 4 + c (low) and 16 + j x 4 + c (high);
 * - bytes: 8 vectors; byte r x 4 + c of vector j holds row r, column j x 4 + c.
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
 * | `Q2_K` | 4 scales, 4 minima by 32, 8 x (4 + 4 bytes that multiply scales of 16 columns each, 4 + 4 for minima) | 8 x nibbles | scale x code - minimum |
 * | `Q3_K` | as `Q6_K` | 8 x nibbles | scale x (code - 4) |
 * | `F16`, `BF16`, `F32` | | 4 numbers for each column | |
 *
 * Scales and minima are 32-bit floats.
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
  F16: 16,
  BF16: 17,
  F32: 18,
} as const;
export type PackedKind = (typeof PackedKind)[keyof typeof PackedKind];

/** Kinds of tensor that are packed as another kind, whose codes and scales hold theirs without loss. */
const PACKED_AS: Partial<Record<TensorKind, PackedKind>> = {
  ...PackedKind,
  Q5_0: PackedKind.Q5_1,
  IQ4_NL: PackedKind.Q8_0,
  IQ4_XS: PackedKind.Q8_0,
  MXFP4: PackedKind.Q8_0,
};

/** Bytes of 4 rows, for so many columns. */
const SIZES: Readonly<Record<PackedKind, { bytes: number; columns: number }>> = {
  [PackedKind.Q4_0]: { bytes: 80, columns: 32 },
  [PackedKind.Q8_0]: { bytes: 144, columns: 32 },
  [PackedKind.Q4_1]: { bytes: 96, columns: 32 },
  [PackedKind.Q4_K]: { bytes: 608, columns: 256 },
  [PackedKind.Q5_K]: { bytes: 1120, columns: 256 },
  [PackedKind.Q6_K]: { bytes: 1104, columns: 256 },
  [PackedKind.Q5_1]: { bytes: 160, columns: 32 },
  [PackedKind.Q2_K]: { bytes: 672, columns: 256 },
  [PackedKind.Q3_K]: { bytes: 592, columns: 256 },
  [PackedKind.F16]: { bytes: 256, columns: 32 },
  [PackedKind.BF16]: { bytes: 256, columns: 32 },
  [PackedKind.F32]: { bytes: 512, columns: 32 },
};

/** The layout that holds a tensor of this kind without loss; undefined for kinds that are not computed with. */
export function packedKindOf(kind: TensorKind): PackedKind | undefined {
  return PACKED_AS[kind];
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
