/** How packed weights lie in the kernels' memory. @module */

/**
 * The layouts that `KernelExports.multiply` reads. Rows lie in groups of 4, padded with
 * rows of zeros; a group is a sequence of blocks of 32 columns:
 * - `Q4_0` (80 bytes): 4 scales (f32), then 4 vectors of 16 bytes. Byte r x 4 + c of vector j holds of row r the columns
 *   j x 4 + c (low nibble) and 16 + j x 4 + c (high nibble), each + 8.
 * - `Q8_0` (144 bytes): 4 scales (f32), then 8 vectors of 16 bytes. Byte r x 4 + c of vector j holds row r, column j x 4 + c,
 *   + 128.
 */
export const PackedKind = { Q4_0: 0, Q8_0: 1 } as const;
export type PackedKind = (typeof PackedKind)[keyof typeof PackedKind];

/** Bytes of 4 rows of 32 columns. */
const BLOCK_BYTES: Readonly<Record<PackedKind, number>> = { [PackedKind.Q4_0]: 80, [PackedKind.Q8_0]: 144 };

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

/** Bytes that a matrix occupies. */
export function packedBytes(kind: PackedKind, rows: number, columns: number): number {
  return groupsOf(rows) * (columns / 32) * BLOCK_BYTES[kind];
}
