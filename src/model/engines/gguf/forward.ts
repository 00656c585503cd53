/** One forward pass of a decoder for the tokens of many sequences: tokens in, keys, values and logits out. @module */
import { activationBytes, attentionUnits, headBytes, PAGE_POSITIONS } from './kernel-exports.js';
import type { KernelMemory } from './kernel-memory.js';
import { type KvSequence, type KvShape, pagesOf } from './kv-pages.js';
import type { Layer, ModelWeights } from './model-weights.js';
import { groupsOf, isFloatKind, type PackedWeights } from './packed-kinds.js';
import { Rope, type RopeShape } from './rope.js';
import type { SharedKernels } from './shared-kernels.js';

/** Rows of a pass. More make no row cheaper, and an abort waits for a whole pass. */
export const PASS_ROWS = 64;

/** Rows whose logits are computed together, which bounds the memory for them. */
const LOGIT_ROWS = 16;

/** What a decoder computes, beside its weights. */
export interface ForwardShape extends KvShape {
  /** Numbers of a token between layers. */
  width: number;
  /** Heads of queries; a multiple of `kvHeads`. */
  heads: number;
  /** Numbers inside a feed-forward layer. */
  feedForward: number;
  /** Tokens that have logits. */
  vocabulary: number;
  /** Of the norms. */
  epsilon: number;
  rope: RopeShape;
  /** Which numbers of a head are rotated with each other. */
  pairs: 'halves' | 'neighbours';
  /** Positions of a sequence. */
  contextLength: number;
  /** Activations are never rounded: slower, for comparisons. */
  exact: boolean;
}

/** Tokens of one sequence. Spans of a pass have {@link PASS_ROWS} tokens together. */
export interface Span {
  tokens: readonly number[];
  /** What comes before; it is longer by the tokens after the pass. */
  kv: KvSequence;
  /** Logits are wanted after so many tokens at the end. */
  keep: number;
}

export class ForwardPass {
  readonly #kernels: SharedKernels;
  readonly #memory: KernelMemory;
  readonly #shape: ForwardShape;
  readonly #weights: ModelWeights;
  readonly #rope: Rope;
  /** Numbers of a row of queries, keys and values. */
  readonly #qkvWidth: number;
  /** Bytes of a layer in a page. */
  readonly #layerBytes: number;
  /** Addresses of what a pass computes. */
  readonly #at: ReturnType<typeof allocate>;

  constructor(kernels: SharedKernels, shape: ForwardShape, weights: ModelWeights) {
    this.#kernels = kernels;
    this.#memory = kernels.memory;
    this.#shape = shape;
    this.#weights = weights;
    this.#rope = new Rope(shape.rope);
    this.#qkvWidth = (shape.heads + 2 * shape.kvHeads) * shape.headSize;
    this.#layerBytes = 2 * shape.kvHeads * headBytes(shape.precision, shape.headSize);
    this.#at = allocate(shape, kernels);
  }

  /**
   * Reads the tokens of all spans.
   * @returns for each span the logits after its last `keep` tokens
   * @throws InferenceError `insufficient_resources` when keys and values have no room; then nothing was read
   */
  run(spans: readonly Span[]): Float32Array<ArrayBuffer>[][] {
    for (const { kv, tokens } of spans) kv.reserve(tokens.length);
    const rows = this.#place(spans);
    const { layers } = this.#weights;
    const wanted = wantedRows(spans);
    const units = spans.reduce(
      (sum, { tokens }) => sum + attentionUnits(tokens.length, this.#shape.heads, this.#shape.kvHeads),
      0,
    );
    this.#embed(spans);
    for (let layer = 0; layer < layers.length - 1; layer++) {
      this.#readLayer(layers[layer]!, layer, rows, units);
      this.#thinkLayer(layers[layer]!, rows);
    }
    this.#readLayer(layers.at(-1)!, layers.length - 1, rows, wanted.length > 0 ? units : 0);
    for (const { kv, tokens } of spans) kv.advance(tokens.length);
    // From here on only what is wanted is computed.
    const given = this.#logitsOf(wanted);
    return spans.map(({ keep }) => given.splice(0, keep));
  }

  /** Writes where the rows' keys and values go, whom they see and how they are rotated. @returns rows */
  #place(spans: readonly Span[]): number {
    const at = this.#at;
    const tablePages = pagesOf(this.#shape.contextLength);
    const spanTable = this.#memory.integers(at.spans, spans.length * 4);
    const places = this.#memory.integers(at.places, PASS_ROWS * 2);
    const pairs = this.#rope.size / 2;
    const cos = this.#memory.floats(at.cos, PASS_ROWS * pairs);
    const sin = this.#memory.floats(at.sin, PASS_ROWS * pairs);
    let row = 0;
    for (let span = 0; span < spans.length; span++) {
      const { tokens, kv } = spans[span]!;
      const table = at.tables + span * tablePages * 4;
      this.#memory.integers(table, kv.pages.length).set(kv.pages);
      spanTable.set([row, tokens.length, kv.length, table], span * 4);
      for (let token = 0; token < tokens.length; token++) {
        const position = kv.length + token;
        places[row * 2] = kv.pages[Math.floor(position / PAGE_POSITIONS)]!;
        places[row * 2 + 1] = position % PAGE_POSITIONS;
        this.#rope.write(position, cos, sin, row * pairs);
        row += 1;
      }
    }
    return row;
  }

  #embed(spans: readonly Span[]): void {
    const { embedding } = this.#weights;
    let to = this.#at.x;
    for (const { tokens } of spans) {
      for (const token of tokens) {
        this.#kernels.functions.unpackRow(embedding.kind, to, embedding.at, token, embedding.columns);
        to += this.#shape.width * 4;
      }
    }
  }

  /** Keys and values of a layer, and what attention adds. @param units of attention; 0: none is wanted */
  #readLayer(layer: Layer, index: number, rows: number, units: number): void {
    const { functions } = this.#kernels;
    const { heads, kvHeads, headSize, width, epsilon, precision } = this.#shape;
    const at = this.#at;
    const stride = this.#qkvWidth;
    const keys = heads * headSize;
    const values = keys + kvHeads * headSize;
    functions.rmsNorm(at.y, at.x, layer.attentionNorm, rows, width, epsilon);
    this.#prepare(at.y, rows, layer.query, layer.key, layer.value);
    this.#multiply(
      rows,
      stride,
      [layer.query, at.qkv],
      [layer.key, at.qkv + keys * 4],
      [layer.value, at.qkv + values * 4],
    );
    const { queryBias, keyBias, valueBias, queryNorm, keyNorm } = layer;
    if (queryBias) functions.addBias(at.qkv, stride, queryBias, rows, keys);
    if (keyBias) functions.addBias(at.qkv + keys * 4, stride, keyBias, rows, values - keys);
    if (valueBias) functions.addBias(at.qkv + values * 4, stride, valueBias, rows, values - keys);
    if (queryNorm) functions.normHeads(at.qkv, stride, queryNorm, rows, heads, headSize, epsilon);
    if (keyNorm) functions.normHeads(at.qkv + keys * 4, stride, keyNorm, rows, kvHeads, headSize, epsilon);
    const rotate = this.#shape.pairs === 'halves' ? 'rotateHalves' : 'rotateNeighbours';
    functions[rotate](at.qkv, stride, rows, heads + kvHeads, headSize, this.#rope.size, at.cos, at.sin);
    const start = index * this.#layerBytes;
    functions.storeHeads(precision, at.qkv, stride, rows, keys, values, kvHeads, headSize, at.places, start);
    if (units === 0) return;
    const scale = headSize ** -0.5;
    this.#kernels.run([
      ['attend', [precision, at.attended, at.qkv, stride, heads, kvHeads, headSize, scale, at.spans, start], units],
    ]);
  }

  /** What follows attention in a layer. */
  #thinkLayer(layer: Layer, rows: number): void {
    const { functions } = this.#kernels;
    const { width, feedForward, epsilon } = this.#shape;
    const at = this.#at;
    this.#prepare(at.attended, rows, layer.output);
    this.#multiply(rows, width, [layer.output, at.y]);
    if (layer.outputBias) functions.addBias(at.y, width, layer.outputBias, rows, width);
    functions.add(at.x, at.y, rows * width);
    functions.rmsNorm(at.y, at.x, layer.feedForwardNorm, rows, width, epsilon);
    this.#prepare(at.y, rows, layer.gate, layer.up);
    this.#multiply(rows, 2 * feedForward, [layer.gate, at.gateUp], [layer.up, at.gateUp + feedForward * 4]);
    functions.siluMul(at.inner, at.gateUp, rows, feedForward);
    this.#prepare(at.inner, rows, layer.down);
    this.#multiply(rows, width, [layer.down, at.y]);
    functions.add(at.x, at.y, rows * width);
  }

  /** Ends the last layer for some rows alone. @param wanted ascending */
  #logitsOf(wanted: readonly number[]): Float32Array<ArrayBuffer>[] {
    if (wanted.length === 0) return [];
    const { functions } = this.#kernels;
    const { width, heads, headSize, vocabulary, epsilon } = this.#shape;
    const at = this.#at;
    const count = wanted.length;
    gather(this.#memory.floats(at.x, PASS_ROWS * width), wanted, width);
    gather(this.#memory.floats(at.attended, PASS_ROWS * heads * headSize), wanted, heads * headSize);
    this.#thinkLayer(this.#weights.layers.at(-1)!, count);
    functions.rmsNorm(at.y, at.x, this.#weights.outputNorm, count, width, epsilon);
    const logits: Float32Array<ArrayBuffer>[] = [];
    const { head } = this.#weights;
    const stride = groupsOf(head.rows) * 4;
    for (let first = 0; first < count; first += LOGIT_ROWS) {
      const rows = Math.min(LOGIT_ROWS, count - first);
      this.#prepare(at.y + first * width * 4, rows, head);
      this.#multiply(rows, stride, [head, at.logits]);
      for (let row = 0; row < rows; row++)
        logits.push(new Float32Array(this.#memory.floats(at.logits + row * stride * 4, vocabulary)));
    }
    return logits;
  }

  /** Brings rows to the forms of activations that products with these matrices take. */
  #prepare(x: number, rows: number, ...matrices: readonly PackedWeights[]): void {
    const { functions } = this.#kernels;
    const [{ columns }] = matrices as [PackedWeights];
    if (matrices.some((matrix) => !this.#isExact(matrix))) functions.quantize(this.#at.rounded, x, rows, columns);
    if (matrices.some((matrix) => this.#isExact(matrix))) functions.interleave(this.#at.exact, x, rows, columns);
  }

  #isExact({ kind }: PackedWeights): boolean {
    return this.#shape.exact || isFloatKind(kind);
  }

  /**
   * The products of the prepared rows with matrices.
   * @param stride numbers from a row of the results to the next
   * @param products each a matrix and the address of its result
   */
  #multiply(rows: number, stride: number, ...products: readonly (readonly [PackedWeights, number])[]): void {
    const name = this.#shape.exact ? 'multiplyExact' : 'multiply';
    this.#kernels.run(
      products.map(([matrix, out]) => {
        const { kind, at, rows: height, columns } = matrix;
        const activations = this.#isExact(matrix) ? this.#at.exact : this.#at.rounded;
        return [name, [kind, out, stride, at, activations, rows, columns], groupsOf(height)];
      }),
    );
  }
}

/** Numbers of the widest row of a matrix. */
export function widestRow({ width, heads, headSize, feedForward }: ForwardShape): number {
  return Math.max(width, heads * headSize, feedForward);
}

/** The memory of passes. Rows are padded to whole groups of rows of weights. */
function allocate(shape: ForwardShape, { memory }: SharedKernels) {
  const { width, heads, kvHeads, headSize, feedForward, vocabulary, rope, contextLength } = shape;
  const widest = widestRow(shape);
  const floats = (columns: number, rows = PASS_ROWS): number => memory.allocate(rows * (columns + 4) * 4);
  return {
    x: floats(width),
    y: floats(width),
    qkv: floats((heads + 2 * kvHeads) * headSize),
    attended: floats(heads * headSize),
    gateUp: floats(2 * feedForward),
    inner: floats(feedForward),
    logits: floats(vocabulary, LOGIT_ROWS),
    rounded: memory.allocate(activationBytes(PASS_ROWS, widest)),
    exact: memory.allocate(activationBytes(PASS_ROWS, widest)),
    cos: floats(rope.size / 2),
    sin: floats(rope.size / 2),
    places: memory.allocate(PASS_ROWS * 8),
    spans: memory.allocate(PASS_ROWS * 16),
    tables: memory.allocate(PASS_ROWS * pagesOf(contextLength) * 4),
  };
}

/** The rows whose logits are wanted, ascending. */
function wantedRows(spans: readonly Span[]): number[] {
  const wanted: number[] = [];
  let end = 0;
  for (const { tokens, keep } of spans) {
    end += tokens.length;
    for (let row = end - keep; row < end; row++) wanted.push(row);
  }
  return wanted;
}

/** Moves rows to the beginning, in their order. */
function gather(numbers: Float32Array, rows: readonly number[], columns: number): void {
  for (const [to, from] of rows.entries())
    if (to !== from) numbers.copyWithin(to * columns, from * columns, (from + 1) * columns);
}
