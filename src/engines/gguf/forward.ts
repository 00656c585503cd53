/** One forward pass of a decoder for the tokens of many sequences: tokens in, keys, values and logits out. @module */
import type { AdapterProducts } from './adapter-products.js';
import type { LoadedAdapter } from './adapter-weights.js';
import type { PassRows } from './attention-layers.js';
import { DecoderLayers } from './decoder-layer.js';
import type { Forward, ForwardWish, Span } from './forward-interface.js';
import { type ForwardShape, type LayerShape, recurrentWidth, widestRow } from './forward-shape.js';
import { PAGE_POSITIONS } from './kernel-exports.js';
import type { KernelMemory } from './kernel-memory.js';
import { pagesOf } from './kv-pages.js';
import type { InputLookUp } from './layer-inputs.js';
import type { LoadedWeights } from './load-weights.js';
import { groupsOf } from './packed-kinds.js';
import { Products } from './products.js';
import { Rope } from './rope.js';
import type { SharedKernels } from './shared-kernels.js';

export type { Span } from './forward-interface.js';

/** Rows of a pass. More make no row cheaper, and an abort waits for a whole pass. */
export const PASS_ROWS = 64;

/** Rows whose logits are computed together, which bounds the memory for them. */
const LOGIT_ROWS = 16;

/** Adapters that spans may have, and their widest padded rank. */
interface PassAdapters {
  all: readonly LoadedAdapter[];
  rank: number;
  /** What computes them: it comes with the first model that has some. */
  Products: typeof AdapterProducts;
}

/** Angles of one kind of RoPE and where a pass has them. */
interface PassAngles {
  rope: Rope;
  cos: number;
  sin: number;
}

/** On WASM: a pass has ended when the call returns. */
export class ForwardPass implements Forward {
  readonly #kernels: SharedKernels;
  readonly #memory: KernelMemory;
  readonly #shape: ForwardShape;
  readonly #weights: LoadedWeights;
  readonly #products: Products;
  /** Undefined: there are none. */
  readonly #adapters: AdapterProducts | undefined;
  readonly #layers: DecoderLayers;
  readonly #inputs: InputLookUp | undefined;
  readonly #angles: readonly PassAngles[];
  /** Addresses of what a pass computes. */
  readonly #at: ReturnType<typeof allocate>;

  constructor(kernels: SharedKernels, shape: ForwardShape, weights: LoadedWeights, adapters?: PassAdapters) {
    this.#kernels = kernels;
    this.#memory = kernels.memory;
    this.#shape = shape;
    this.#weights = weights;
    this.#at = allocate(shape, kernels);
    const usual = this.#makeAngles(new Rope(shape.rope));
    const window = shape.windowRope ? this.#makeAngles(new Rope(shape.windowRope)) : usual;
    this.#angles = window === usual ? [usual] : [usual, window];
    const { exact } = shape;
    const columns = widestRow(shape);
    if (adapters) {
      const sizes = { rows: PASS_ROWS, logitRows: LOGIT_ROWS, columns, rank: adapters.rank };
      this.#adapters = new adapters.Products(kernels, weights.head, adapters.all, sizes);
    }
    this.#products = new Products(kernels, { rows: PASS_ROWS, columns, exact }, this.#adapters);
    const { layerInputs, blocks } = weights;
    if (layerInputs) this.#inputs = new blocks!.InputLookUp(kernels, this.#products, shape, layerInputs);
    const at = { ...this.#at, angles: { usual, window } };
    this.#layers = new DecoderLayers(kernels, this.#products, { shape, at, rows: PASS_ROWS }, weights);
  }

  #makeAngles(rope: Rope): PassAngles {
    const make = (): number => this.#memory.allocate(PASS_ROWS * (rope.size / 2) * 4);
    return { rope, cos: make(), sin: make() };
  }

  bring(spans: readonly Span[]): Promise<void> | undefined {
    return this.#inputs?.bring(tokensOf(spans));
  }

  run(spans: readonly Span[], wish: ForwardWish = 'logits'): Float32Array<ArrayBuffer>[][] {
    for (const { kv, tokens } of spans) kv.reserve(tokens.length);
    const pass = this.#layOut(spans);
    const { rows } = pass;
    const { layers } = this.#weights;
    const wanted = wantedRows(spans);
    this.#adapters?.begin(spans);
    this.#embed(spans, rows);
    for (let layer = 0; layer < layers.length - 1; layer++) {
      this.#layers.attend(layers[layer]!, layer, pass);
      this.#layers.feedForward(layers[layer]!, layer, rows);
    }
    this.#layers.attend(layers.at(-1)!, layers.length - 1, pass, wanted.length > 0);
    for (const { kv, tokens } of spans) kv.advance(tokens.length);
    // From here on only what is wanted is computed.
    this.#adapters?.keep(wanted);
    const count = this.#finish(wanted);
    const given = wish === 'logits' ? this.#logitsOf(count) : this.#statesOf(count);
    return spans.map(({ keep }) => given.splice(0, keep));
  }

  /** Writes where the rows' keys and values go, whom they see and how they are rotated. */
  #layOut(spans: readonly Span[]): PassRows {
    const at = this.#at;
    const tablePages = pagesOf(this.#shape.contextLength);
    const spanTable = this.#memory.integers(at.spans, spans.length * 4);
    const kvCells = this.#memory.integers(at.kvCells, PASS_ROWS * 2);
    let row = 0;
    const states = spans.map(({ kv: { state }, tokens: { length: count } }) => ({ first: 0, count, state }));
    for (let span = 0; span < spans.length; span++) {
      const { tokens, kv } = spans[span]!;
      states[span]!.first = row;
      const table = at.tables + span * tablePages * 4;
      this.#memory.integers(table, kv.pages.length).set(kv.pages);
      spanTable.set([row, tokens.length, kv.length, table], span * 4);
      for (let token = 0; token < tokens.length; token++) {
        const position = kv.length + token;
        kvCells[row * 2] = kv.pages[Math.floor(position / PAGE_POSITIONS)]!;
        kvCells[row * 2 + 1] = position % PAGE_POSITIONS;
        row += 1;
      }
    }
    for (const angles of this.#angles) this.#writeAngles(angles, spans);
    return { rows: row, spans: states, temperatures: this.#temperatures(spans) };
  }

  /** What queries are multiplied by, row by row. */
  #temperatures(spans: readonly Span[]): number[] | undefined {
    const { temperature } = this.#shape;
    if (!temperature) return undefined;
    const { scale, positions } = temperature;
    return spans.flatMap(({ tokens, kv }) =>
      tokens.map((_, token) => 1 + scale * Math.log(1 + Math.floor((kv.length + token) / positions))),
    );
  }

  #writeAngles({ rope, cos, sin }: PassAngles, spans: readonly Span[]): void {
    const pairs = rope.size / 2;
    const [cosines, sines] = [cos, sin].map((at) => this.#memory.floats(at, PASS_ROWS * pairs));
    let at = 0;
    for (const { tokens, kv } of spans) {
      for (let token = 0; token < tokens.length; token++) {
        rope.write(kv.length + token, cosines!, sines!, at);
        at += pairs;
      }
    }
  }

  #embed(spans: readonly Span[], rows: number): void {
    const { embedding } = this.#weights;
    const { functions } = this.#kernels;
    const { width, embeddingScale } = this.#shape;
    let to = this.#at.x;
    for (const { tokens } of spans) {
      for (const token of tokens) {
        functions.unpackRow(embedding.kind, to, embedding.at, token, embedding.columns);
        to += width * 4;
      }
    }
    this.#adapters?.addLookUp(this.#at.x, spans);
    if (embeddingScale !== 1) functions.scale(this.#at.x, rows * width, embeddingScale);
    this.#inputs?.write(tokensOf(spans), this.#at.x, this.#at.inputs);
  }

  /** Ends the last layer for some rows alone. @param wanted ascending @returns rows, which are at `y` */
  #finish(wanted: readonly number[]): number {
    const count = wanted.length;
    if (count === 0) return 0;
    const { width, layers, layerInput = 0, epsilon } = this.#shape;
    const at = this.#at;
    const last = this.#weights.layers.at(-1)!;
    const kept: [number, number][] = [
      [at.x, width],
      [at.attended, last.output?.columns ?? 0],
      [at.mixed, last.mixOutput?.columns ?? 0],
      [at.inputs, layers * layerInput],
    ];
    for (const [from, columns] of kept) gather(this.#memory.floats(from, PASS_ROWS * columns), wanted, columns);
    this.#layers.feedForward(last, layers - 1, count);
    this.#kernels.functions.rmsNorm(at.y, at.x, this.#weights.outputNorm, count, width, epsilon);
    return count;
  }

  #statesOf(count: number): Float32Array<ArrayBuffer>[] {
    const { width } = this.#shape;
    return Array.from(
      { length: count },
      (_, row) => new Float32Array(this.#memory.floats(this.#at.y + row * width * 4, width)),
    );
  }

  #logitsOf(count: number): Float32Array<ArrayBuffer>[] {
    const { width, vocabulary } = this.#shape;
    const at = this.#at;
    const logits: Float32Array<ArrayBuffer>[] = [];
    const { head } = this.#weights;
    const stride = groupsOf(head.rows) * 4;
    for (let first = 0; first < count; first += LOGIT_ROWS) {
      const rows = Math.min(LOGIT_ROWS, count - first);
      this.#adapters?.select(first, rows);
      this.#products.prepare(at.y + first * width * 4, rows, head);
      this.#products.multiply(rows, stride, [head, at.logits]);
      this.#softCapLogits(rows * stride);
      for (let row = 0; row < rows; row++)
        logits.push(new Float32Array(this.#memory.floats(at.logits + row * stride * 4, vocabulary)));
    }
    return logits;
  }

  #softCapLogits(count: number): void {
    const { functions } = this.#kernels;
    const { logitScale, logitCap } = this.#shape;
    if (logitScale !== 1) functions.scale(this.#at.logits, count, logitScale);
    if (logitCap > 0) functions.cap(this.#at.logits, count, logitCap);
  }
}

/** The memory of passes. Rows are padded to whole groups of rows of weights. */
function allocate(shape: ForwardShape, { memory }: SharedKernels) {
  const { width, heads, vocabulary, contextLength, layers, layerInput = 0, recurrent, experts } = shape;
  const floats = (columns: number, rows = PASS_ROWS): number => memory.allocate(rows * (columns + 4) * 4);
  const most = (of: (layer: LayerShape) => number): number => Math.max(...shape.layerShapes.map(of));
  const headSize = most((layer) => layer.headSize ?? shape.headSize);
  const qkv = most((layer) => (heads + 2 * (layer.kvHeads ?? shape.kvHeads)) * (layer.headSize ?? shape.headSize));
  const feedForward = Math.max(
    layerInput,
    shape.feedForward,
    most((layer) => layer.feedForward ?? 0),
  );
  const mixed = recurrent ? recurrentWidth(recurrent) : 0;
  const isMixed = shape.layerShapes.some(({ mixer }) => mixer === 'both');
  const columns = layers * layerInput;
  const ones = memory.allocate(Math.max(width, headSize) * 4);
  memory.floats(ones, Math.max(width, headSize)).fill(1);
  return {
    x: floats(width),
    y: floats(width),
    qkv: floats(qkv),
    attended: floats(Math.max(heads * headSize, mixed)),
    mixed: floats(isMixed ? mixed : 0),
    wide: floats(shape.isQueryGated ? 2 * heads * headSize : 0),
    opening: floats(shape.isQueryGated ? heads * headSize : 0),
    branch: floats(isMixed || experts ? width : 0),
    routed: floats(experts ? width : 0),
    inputs: floats(columns),
    ones,
    gateUp: floats(2 * feedForward),
    inner: floats(feedForward),
    logits: floats(vocabulary, LOGIT_ROWS),
    kvCells: memory.allocate(PASS_ROWS * 8),
    spans: memory.allocate(PASS_ROWS * 16),
    tables: memory.allocate(PASS_ROWS * pagesOf(contextLength) * 4),
  };
}

const tokensOf = (spans: readonly Span[]): number[] => spans.flatMap(({ tokens }) => tokens);

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
