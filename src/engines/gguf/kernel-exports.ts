/** What the kernels can do: the functions of the compiled `kernels/`. @module */
import type { PackedKind } from './packed-kinds.js';
import type { RecurrentKernels } from './recurrent-kernels.js';

/**
 * All pointers are byte offsets into the kernels' memory, divisible by 16 unless said otherwise; numbers are 32-bit floats in
 * rows one behind the other. The result of a row never depends on how many rows a call has.
 */
export interface KernelExports extends RecurrentKernels {
  /**
   * Rows of numbers as products with integer codes take them: each 32 columns rounded to 8 bits with a scale of their own.
   * @param to {@link activationBytes} bytes
   * @param x [rows][columns]
   * @param columns divisible by 32
   */
  quantize(to: number, x: number, rows: number, columns: number): void;
  /**
   * Rows of numbers as products with floats and exact products take them: nothing is rounded.
   * @param to {@link activationBytes} bytes
   * @param x [rows][columns]
   * @param columns divisible by 32
   */
  interleave(to: number, x: number, rows: number, columns: number): void;
  /**
   * out[row][4 x first ... 4 x last) = activations x weights. Threads share a product by groups.
   * @param kind layout of the weights
   * @param out where the result of the whole matrix begins, also when `first` is not 0; with several matrices of one
   * activation, where this one's part of the row begins
   * @param stride numbers from a row of `out` to the next; at least 4 x groups
   * @param weights packed matrix
   * @param activations of {@link quantize}, for float kinds (`isFloatKind`) of {@link interleave}, with the same rows and columns
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
  /** {@link multiply} in another order of instructions, with the same bits: in the files for older V8, see `isFasterByRow`. */
  multiplyByRow?: KernelExports['multiply'];
  /**
   * As {@link multiply}, with activations of {@link interleave} for every kind: what the file's numbers give in 32 bits.
   * @param scratch 16 x columns numbers, of each thread its own
   */
  multiplyExact(
    kind: PackedKind,
    out: number,
    stride: number,
    weights: number,
    activations: number,
    rows: number,
    columns: number,
    first: number,
    last: number,
    scratch: number,
  ): void;
  /**
   * One row of a packed matrix as numbers, exactly those of the file: the look-up of a token.
   * @param out [columns]
   */
  unpackRow(kind: PackedKind, out: number, weights: number, row: number, columns: number): void;
  /**
   * Packs rows that lie one behind the other as a file has them (`weights.ts` calls it).
   * @param kind number of the file's kind, as `tensor-kinds.ts` has it
   * @param to packed matrix, zero where nothing was packed yet
   * @param from any address
   * @param row index of the first one in the matrix
   */
  packRows(kind: number, to: number, from: number, row: number, count: number, columns: number): void;
  /**
   * out = x / root mean square of its row x weight. `out` may be `x`.
   * @param weight [columns]
   * @param columns divisible by 4
   * @param epsilon added to the mean square
   */
  rmsNorm(out: number, x: number, weight: number, rows: number, columns: number, epsilon: number): void;
  /**
   * out = (x - mean of its row) / standard deviation of its row x weight + bias. `out` may be `x`.
   * @param weight [columns]
   * @param bias [columns]
   * @param columns divisible by 4
   * @param epsilon added to the variance
   */
  layerNorm(out: number, x: number, weight: number, bias: number, rows: number, columns: number, epsilon: number): void;
  /**
   * x = GELU of x, by the error function (exact to 2e-7 x the number).
   * @param count divisible by 4
   */
  gelu(x: number, count: number): void;
  /**
   * x += factor x y.
   * @param count divisible by 4
   */
  add(x: number, y: number, count: number, factor: number): void;
  /**
   * x = factor x x.
   * @param count divisible by 4
   */
  scale(x: number, count: number, factor: number): void;
  /**
   * x = most x tanh(x / most): numbers stay between -most and most.
   * @param count divisible by 4
   */
  cap(x: number, count: number, most: number): void;
  /**
   * out = silu(gate) x up.
   * @param gateUp [rows][2][columns]: gate, then up
   * @param columns divisible by 4
   */
  siluMul(out: number, gateUp: number, rows: number, columns: number): void;
  /** The same with GELU, by its formula with tanh. */
  geluMul(out: number, gateUp: number, rows: number, columns: number): void;
  /** The same as gpt-oss has it: both are bounded, and 1 is added to up. */
  clippedMul(out: number, gateUp: number, rows: number, columns: number): void;
  /**
   * x = the square of what of x is above 0.
   * @param count divisible by 4
   */
  reluSquared(x: number, count: number): void;
  /**
   * x > 0: a x^2 + c x; else (e^min(x, e) - 1 - x) b + c x.
   * @param count divisible by 4
   */
  xielu(x: number, count: number, a: number, b: number, c: number, e: number): void;
  /**
   * x += bias, in each row.
   * @param stride numbers from a row of `x` to the next
   * @param bias [columns]
   * @param columns divisible by 4
   */
  addBias(x: number, stride: number, bias: number, rows: number, columns: number): void;
  /**
   * Like {@link rmsNorm}, of each head on its own, in place.
   * @param x the first head of the first row
   * @param stride numbers from a row to the next
   * @param weight [size]
   */
  normHeads(
    x: number,
    stride: number,
    weight: number,
    rows: number,
    heads: number,
    size: number,
    epsilon: number,
  ): void;
  /**
   * Rotates pairs of numbers of heads in place: the i-th of the first half of what is turned with the i-th of the second.
   * @param x the first head of the first row
   * @param stride numbers from a row to the next
   * @param turned numbers of each head that are rotated, from its first on; divisible by 8
   * @param cos [rows][turned / 2]
   * @param sin [rows][turned / 2]
   */
  rotateHalves(
    x: number,
    stride: number,
    rows: number,
    heads: number,
    size: number,
    turned: number,
    cos: number,
    sin: number,
  ): void;
  /** The same for pairs that are neighbours. */
  rotateNeighbours(
    x: number,
    stride: number,
    rows: number,
    heads: number,
    size: number,
    turned: number,
    cos: number,
    sin: number,
  ): void;
  /**
   * Writes keys and values of rows into pages of the KV cache (`kernels/attention.ts` has their layout).
   * @param precision bits of a number of the cache
   * @param qkv [rows][stride]
   * @param keys numbers from the start of a row to its heads of keys
   * @param values the same for its heads of values
   * @param size of a head; divisible by 8
   * @param kvCells [rows][2] of 32-bit integers: address of the page, position in it
   * @param layer bytes from the start of a page to the layer
   */
  storeHeads(
    precision: KvPrecision,
    qkv: number,
    stride: number,
    rows: number,
    keys: number,
    values: number,
    heads: number,
    size: number,
    kvCells: number,
    layer: number,
  ): void;
  /**
   * Causal attention of the rows of several sequences. Threads share it by units: {@link attentionUnits} of each span, in the
   * order of the spans.
   * @param out [rows][heads][size]
   * @param qkv [rows][stride], which begins with the queries
   * @param heads of queries, a multiple of `kvHeads`
   * @param scale of the scores before the softmax
   * @param cap scores are then bent as by {@link KernelExports.cap}; 0: they are not
   * @param window positions that a row sees, its own included; 0: all before it
   * @param spans [spans][4] of 32-bit integers: first row, rows, position of the first row (below 0: how many positions all
   * rows see, those behind them included), address of a table of the addresses of all pages up to the last row's
   * @param sinks a logit of each head that no position has; 0: there are none
   * @param scratch for this thread alone: 4 x (positions of the longest sequence + 16) + 2 x size numbers
   * @param first first unit
   * @param last unit behind the last
   */
  attend(
    precision: KvPrecision,
    out: number,
    qkv: number,
    stride: number,
    heads: number,
    kvHeads: number,
    size: number,
    scale: number,
    cap: number,
    window: number,
    spans: number,
    layer: number,
    sinks: number,
    scratch: number,
    first: number,
    last: number,
  ): void;
  /**
   * Attention of the rows of a text to each other. @param reach rows to each side that a row sees; 0: all
   * @param qkv [rows][stride]: heads of queries, of keys, of values
   * @param slopes by head, how much less a score is for each row in between; 0: none
   * @param scratch rows + 4 numbers
   */
  attendAround(
    out: number,
    qkv: number,
    stride: number,
    rows: number,
    heads: number,
    kvHeads: number,
    size: number,
    scale: number,
    reach: number,
    slopes: number,
    scratch: number,
  ): void;
}

/**
 * Bits of a number of the KV cache: whole numbers with a scale for each head of a position, or floats. Of 16 bits 13 are used, so that
 * sums of products fit into 32.
 */
export type KvPrecision = 8 | 16 | 32;

/** Positions of a page of the KV cache. */
export const PAGE_POSITIONS = 64;

/** Bytes of a scale. */
const SCALE_BYTES: Readonly<Record<KvPrecision, number>> = { 8: 2, 16: 4, 32: 0 };

/** Bytes of keys, or of values, of a head in a page. */
export function headBytes(precision: KvPrecision, size: number): number {
  return PAGE_POSITIONS * ((precision / 8) * size + SCALE_BYTES[precision]);
}

/** In how many parts the attention of a span can be shared. */
export function attentionUnits(rows: number, heads: number, kvHeads: number): number {
  return kvHeads * Math.ceil((rows * heads) / kvHeads / 4);
}

/** Rows that lie side by side in packed activations. */
const SIDE_BY_SIDE = 8;

/** Bytes that {@link KernelExports.quantize} or {@link KernelExports.interleave} writes at most, in every build. */
export function activationBytes(rows: number, columns: number): number {
  const padded = rows === 1 ? 1 : Math.ceil(rows / SIDE_BY_SIDE) * SIDE_BY_SIDE;
  return padded * columns * 4;
}
