/** The kernels of layers with a state, and of gates. @module */

/** What a gate is passed through before it multiplies. */
export const GateKind = { plain: 0, silu: 1, sigmoid: 2 } as const;
export type GateKind = (typeof GateKind)[keyof typeof GateKind];

/** As in `KernelExports`. */
export interface RecurrentKernels {
  /**
   * x = x x what a gate is passed through, in each row.
   * @param stride numbers from a row of `x` to the next; `gateStride` the same of the gate
   * @param columns divisible by 4
   */
  gateRows(
    x: number,
    stride: number,
    gate: number,
    gateStride: number,
    rows: number,
    columns: number,
    kind: GateKind,
  ): void;
  /**
   * A causal convolution of each channel over the rows of a sequence, which follow each other in time.
   * @param weight [taps][channels], the present one last
   * @param bias [channels]; 0: none
   * @param state [taps - 1][channels]: the rows before the first one; then those before what follows
   * @param isSilu sums are passed through silu: 1 or 0
   */
  convolve(
    out: number,
    outStride: number,
    x: number,
    stride: number,
    rows: number,
    channels: number,
    taps: number,
    weight: number,
    bias: number,
    state: number,
    isSilu: number,
  ): void;
  /** Divides heads by their length, at least by `least`, in place. Arguments as of {@link normHeads}. */
  unitHeads(x: number, stride: number, rows: number, heads: number, size: number, least: number): void;
  /** Copies heads of rows. @param step numbers from a head to the next where they come from */
  copyHeads(
    to: number,
    toStride: number,
    from: number,
    fromStride: number,
    rows: number,
    heads: number,
    size: number,
    step: number,
  ): void;
  /**
   * The gated delta rule over the rows of a sequence: of each head a memory M, for which M = decay x M, then
   * d = beta x (value - M^T key), M = M + key d^T, out = scale x M^T query.
   * @param x [rows][stride]: heads of queries, of keys, then of values
   * @param size of a head; divisible by 8
   * @param isShared 1: neighbouring heads of values share one of keys; 0: those that are `keyHeads` apart
   * @param factors [rows][heads][2]: decay and beta
   * @param state [heads][size][size]
   */
  deltaRule(
    out: number,
    outStride: number,
    x: number,
    stride: number,
    rows: number,
    heads: number,
    keyHeads: number,
    size: number,
    isShared: number,
    factors: number,
    scale: number,
    state: number,
  ): void;
  /**
   * The scan of Mamba 2 over the rows of a sequence: of each head a memory h, for which
   * h = decay x h + (delta x value) B^T, out = h C + skip x value.
   * @param x [rows][stride]: heads of values, then B and C of each group
   * @param size of B and C; divisible by 4
   * @param factors [rows][heads][2]: decay and delta
   * @param skip [heads]
   * @param state [heads][headSize][size]
   */
  scanRows(
    out: number,
    outStride: number,
    x: number,
    stride: number,
    rows: number,
    heads: number,
    headSize: number,
    groups: number,
    size: number,
    factors: number,
    skip: number,
    state: number,
  ): void;
}
