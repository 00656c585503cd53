/** What LoRA adapters add to the products of a pass, to each row by the adapters of its sequence. Nothing is rounded. @module */
import type { AdapterPart, LoadedAdapter } from './adapter-weights.js';
import { activationBytes } from './kernel-exports.js';
import { groupsOf, type PackedWeights } from './packed-kinds.js';
import type { SharedKernels } from './shared-kernels.js';

/** The adapters of a sequence. Those of the same model are the same array. */
export type AdapterSet = readonly LoadedAdapter[];

/** Tokens of a sequence. */
export interface AdaptedSpan {
  tokens: readonly number[];
  /** Undefined: it has none. */
  adapters?: AdapterSet | undefined;
}

/** Rows that follow each other and have the same adapters. */
interface Segment {
  first: number;
  rows: number;
  adapters: AdapterSet;
}

/** Sizes that the memory of a pass must have room for. */
export interface AdapterSizes {
  /** Rows of a pass, and of those that get logits at a time. */
  rows: number;
  logitRows: number;
  /** Numbers of the widest row that products take, and of the widest padded rank. */
  columns: number;
  rank: number;
}

export class AdapterProducts {
  readonly #kernels: SharedKernels;
  readonly #at: { activations: number; inner: number; innerActivations: number; outer: number };
  /** Of each row of the pass. */
  #rows: (AdapterSet | undefined)[] = [];
  /** Of the rows that are multiplied. */
  #segments: Segment[] = [];

  /** @param head what gives logits @param all adapters that there are */
  constructor(kernels: SharedKernels, head: PackedWeights, all: Iterable<LoadedAdapter>, sizes: AdapterSizes) {
    this.#kernels = kernels;
    const { memory } = kernels;
    const { rows, logitRows, columns, rank } = sizes;
    let outer = 0;
    for (const { parts, lookUp } of all) {
      for (const [matrix, { b }] of parts)
        outer = Math.max(outer, (matrix === head ? logitRows : rows) * (groupsOf(b.rows) * 4));
      if (lookUp) outer = Math.max(outer, rows * groupsOf(lookUp.b.rows) * 4);
    }
    this.#at = {
      activations: memory.allocate(activationBytes(rows, columns)),
      inner: memory.allocate(rows * rank * 4),
      innerActivations: memory.allocate(activationBytes(rows, rank)),
      outer: memory.allocate(outer * 4),
    };
  }

  /** A pass begins with the tokens of these spans, a row each. */
  begin(spans: readonly AdaptedSpan[]): void {
    this.#rows = spans.flatMap(({ tokens, adapters }) => tokens.map(() => adapters));
    this.select(0, this.#rows.length);
  }

  /** From here on there are only some of the rows, in their order. */
  keep(rows: readonly number[]): void {
    this.#rows = rows.map((row) => this.#rows[row]);
    this.select(0, this.#rows.length);
  }

  /** The products that follow are those of some rows that follow each other. */
  select(first: number, count: number): void {
    this.#segments = [];
    let last: Segment | undefined;
    for (const [row, adapters] of this.#rows.slice(first, first + count).entries()) {
      if (last && last.adapters === adapters) last.rows += 1;
      else {
        last = adapters && { first: row, rows: 1, adapters };
        if (last) this.#segments.push(last);
      }
    }
  }

  /**
   * Adds to products what the adapters of each row say.
   * @param x what was multiplied: rows of as many numbers as the matrices have columns
   * @param stride numbers from a row of the results to the next
   * @param products each a matrix and the address of its result
   */
  add(x: number, stride: number, products: readonly (readonly [PackedWeights, number])[]): void {
    const { functions } = this.#kernels;
    const [[{ columns }]] = products as [readonly [PackedWeights, number]];
    for (const { first, rows, adapters } of this.#segments) {
      let isPrepared = false;
      for (const { parts } of adapters) {
        for (const [matrix, out] of products) {
          const part = parts.get(matrix);
          if (!part) continue;
          if (!isPrepared) functions.interleave(this.#at.activations, x + first * columns * 4, rows, columns);
          isPrepared = true;
          this.#multiply(part.a, this.#at.activations, this.#at.inner, rows);
          this.#addOuter(part, out + first * stride * 4, stride, rows);
        }
      }
    }
  }

  /** Adds to the tokens of a pass that were looked up. @param x rows of the looked-up numbers */
  addLookUp(x: number, spans: readonly AdaptedSpan[]): void {
    const { functions } = this.#kernels;
    const tokens = spans.flatMap((span) => span.tokens);
    for (const { first, rows, adapters } of this.#segments) {
      for (const { lookUp } of adapters) {
        if (!lookUp) continue;
        const { a, b } = lookUp;
        for (let row = 0; row < rows; row++)
          functions.unpackRow(a.kind, this.#at.inner + row * a.columns * 4, a.at, tokens[first + row]!, a.columns);
        this.#addOuter(lookUp, x + first * b.rows * 4, b.rows, rows);
      }
    }
  }

  /** Multiplies what is between the halves of a pair with its second one, and adds it to rows. */
  #addOuter({ b, factor }: AdapterPart, to: number, stride: number, rows: number): void {
    const { functions } = this.#kernels;
    const { inner, innerActivations, outer } = this.#at;
    functions.interleave(innerActivations, inner, rows, b.columns);
    const columns = this.#multiply(b, innerActivations, outer, rows);
    for (let row = 0; row < rows; row++)
      functions.add(to + row * stride * 4, outer + row * columns * 4, columns, factor);
  }

  /** @returns numbers of a row of the result */
  #multiply(
    { kind, at, rows: height, columns }: PackedWeights,
    activations: number,
    out: number,
    rows: number,
  ): number {
    const groups = groupsOf(height);
    this.#kernels.run([['multiplyExact', [kind, out, groups * 4, at, activations, rows, columns], groups]]);
    return groups * 4;
  }
}
