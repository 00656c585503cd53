/** What the kernels can do: the functions of the compiled `kernels/`. @module */
import type { PackedKind } from './packed-kinds.js';

/**
 * All pointers are byte offsets into the kernels' memory, divisible by 16 unless said otherwise; numbers are 32-bit floats in
 * rows one behind the other. The result of a row never depends on how many rows a call has.
 */
export interface KernelExports {
  /**
   * Rows of numbers as the products take them: each 32 columns rounded to 8 bits with a scale of their own.
   * @param to {@link activationBytes} bytes
   * @param x [rows][columns]
   * @param columns divisible by 32
   */
  quantize(to: number, x: number, rows: number, columns: number): void;
  /**
   * out[row][4 x first ... 4 x last) = activations x weights. Threads share a product by groups.
   * @param kind layout of the weights
   * @param out where the result of the whole matrix begins, also when `first` is not 0; with several matrices of one
   * activation, where this one's part of the row begins
   * @param stride numbers from a row of `out` to the next; at least 4 x groups
   * @param weights packed matrix
   * @param activations of {@link quantize}, with the same rows and columns
   * @param first first group of 4 rows of the matrix
   * @param last group behind the last
   */
  multiply(
    kind: PackedKind,
    out: number,
    stride: number,
    weights: number,
    activations: number,
    rows: number,
    columns: number,
    first: number,
    last: number,
  ): void;
  /**
   * out = x / root mean square of its row x weight. `out` may be `x`.
   * @param weight [columns]
   * @param columns divisible by 4
   * @param epsilon added to the mean square
   */
  rmsNorm(out: number, x: number, weight: number, rows: number, columns: number, epsilon: number): void;
  /**
   * x += y.
   * @param count divisible by 4
   */
  add(x: number, y: number, count: number): void;
  /**
   * out = silu(gate) x up.
   * @param gateUp [rows][2][columns]: gate, then up
   * @param columns divisible by 4
   */
  siluMul(out: number, gateUp: number, rows: number, columns: number): void;
  /**
   * Rotates the halves of heads in place.
   * @param x [rows][stride], of which the first `heads` x `size` numbers are heads
   * @param cos [positions][size / 2]
   * @param sin [positions][size / 2]
   * @param position of the first row
   */
  rope(
    x: number,
    rows: number,
    stride: number,
    heads: number,
    size: number,
    cos: number,
    sin: number,
    position: number,
  ): void;
  /**
   * Writes keys as [head][position / 4][size][4] and values as [head][size / 8][position][8].
   * @param qkv [rows][stride]
   * @param keyOffset numbers from the start of a row to its keys
   * @param valueOffset numbers from the start of a row to its values
   * @param capacity positions of the store
   * @param position of the first row
   */
  storeKV(
    qkv: number,
    stride: number,
    rows: number,
    keyOffset: number,
    valueOffset: number,
    kvHeads: number,
    size: number,
    keys: number,
    values: number,
    capacity: number,
    position: number,
  ): void;
  /**
   * Causal attention of `rows` queries behind `position` earlier places.
   * @param out [rows][heads][size]
   * @param qkv [rows][stride], which begins with the queries
   * @param size of a head; divisible by 8
   * @param scratch 4 x (position + rows + 8) numbers
   * @param scale of the scores before the softmax
   */
  attend(
    out: number,
    qkv: number,
    stride: number,
    rows: number,
    heads: number,
    kvHeads: number,
    size: number,
    keys: number,
    values: number,
    capacity: number,
    position: number,
    scratch: number,
    scale: number,
  ): void;
}

/** Rows that lie side by side in packed activations. */
const SIDE_BY_SIDE = 8;

/** Bytes that {@link KernelExports.quantize} writes, in every build. */
export function activationBytes(rows: number, columns: number): number {
  const padded = rows === 1 ? 1 : Math.ceil(rows / SIDE_BY_SIDE) * SIDE_BY_SIDE;
  return padded * (columns / 32) * (64 + 16);
}
