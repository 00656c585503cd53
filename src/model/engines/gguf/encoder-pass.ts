/** Passes of an encoder: texts in, the states of their tokens out. Every token of a text sees all of it. @module */
import { yieldToEventLoop } from '../../../core/platform/pause.js';
import type { EncoderLayer, EncoderParts, EncoderShape, NormParts, Projection } from './encoder-plan.js';
import { PASS_ROWS } from './forward.js';
import { attentionUnits, headBytes, PAGE_POSITIONS } from './kernel-exports.js';
import { pagesOf } from './kv-pages.js';
import type { PackedWeights } from './packed-kinds.js';
import { Products } from './products.js';
import type { ReadableText, TextReader } from './text-reader.js';
import type { SharedKernels } from './shared-kernels.js';

/** Tokens of a batch of texts, where one is not longer. */
const BATCH_TOKENS = 512;

type Weights = EncoderParts<PackedWeights, number>;

/** A text's rows in a batch. */
interface Rows {
  first: number;
  count: number;
}

export class EncoderPass implements TextReader {
  readonly width: number;
  readonly #kernels: SharedKernels;
  readonly #shape: EncoderShape;
  readonly #weights: Weights;
  readonly #products: Products;
  /** Addresses of what a pass computes. */
  readonly #at: ReturnType<typeof allocate>;

  /** @param exact activations are never rounded */
  constructor(kernels: SharedKernels, shape: EncoderShape, weights: Weights, exact: boolean) {
    this.width = shape.width;
    this.#kernels = kernels;
    this.#shape = shape;
    this.#weights = weights;
    const columns = Math.max(shape.width, shape.feedForward);
    this.#products = new Products(kernels, { rows: PASS_ROWS, columns, exact });
    this.#at = allocate(kernels, shape);
  }

  async read(texts: readonly ReadableText[]): Promise<Float32Array[]> {
    const rows: Rows[] = [];
    let end = 0;
    for (const { ids } of texts) {
      rows.push({ first: end, count: ids.length });
      end += ids.length;
    }
    this.#embed(texts);
    for (const layer of this.#weights.layers) {
      this.#attend(layer, rows, end);
      this.#think(layer, end);
      // Requests and aborts arrive meanwhile.
      await yieldToEventLoop();
    }
    const { memory } = this.#kernels;
    const bytes = this.width * 4;
    return rows.map(({ first, count }) => memory.floats(this.#at.x + first * bytes, count * this.width).slice());
  }

  #embed(texts: readonly ReadableText[]): void {
    const { functions } = this.#kernels;
    const { tokens, positions, types, norm } = this.#weights;
    const { width } = this.#shape;
    const { x, y } = this.#at;
    let to = x;
    const addRow = ({ kind, at, columns }: PackedWeights, row: number): void => {
      functions.unpackRow(kind, y, at, row, columns);
      functions.add(to, y, width, 1);
    };
    let rows = 0;
    for (const { ids, types: given } of texts) {
      for (const [position, id] of ids.entries()) {
        functions.unpackRow(tokens.kind, to, tokens.at, id, width);
        if (types) addRow(types, Math.min(given?.[position] ?? 0, types.rows - 1));
        addRow(positions, position);
        to += width * 4;
      }
      rows += ids.length;
    }
    this.#normalize(norm, x, rows);
  }

  #attend(layer: EncoderLayer<PackedWeights, number>, texts: readonly Rows[], rows: number): void {
    const { functions } = this.#kernels;
    const { width, heads, headSize } = this.#shape;
    const at = this.#at;
    const stride = 3 * width;
    for (const { first, count } of pieces(rows)) {
      const to = at.qkv + first * stride * 4;
      const projections = [layer.query, layer.key, layer.value].map((projection, index) => ({
        ...projection,
        to: to + index * width * 4,
      }));
      this.#project(at.x + first * width * 4, count, stride, projections);
    }
    for (const { first, count } of texts) {
      const qkv = at.qkv + first * stride * 4;
      functions.storeHeads(32, qkv, stride, count, width, 2 * width, heads, headSize, at.kvCells, 0);
      this.#kernels.memory.integers(at.span, 4).set([0, count, -count, at.table]);
      const sizes = [heads, heads, headSize, headSize ** -0.5, 0, 0] as const;
      const out = at.attended + first * width * 4;
      const units = attentionUnits(count, heads, heads);
      this.#kernels.run([['attend', [32, out, qkv, stride, ...sizes, at.span, 0, 0], units]]);
    }
  }

  /** What follows attention in a layer. */
  #think(layer: EncoderLayer<PackedWeights, number>, rows: number): void {
    const { functions } = this.#kernels;
    const { width, feedForward } = this.#shape;
    const { x, y, attended, inner } = this.#at;
    const bytes = width * 4;
    for (const { first, count } of pieces(rows)) {
      const at = x + first * bytes;
      this.#project(attended + first * bytes, count, width, [{ ...layer.output, to: y }]);
      functions.add(at, y, count * width, 1);
      this.#normalize(layer.attentionNorm, at, count);
      this.#project(at, count, feedForward, [{ ...layer.up, to: inner }]);
      functions.gelu(inner, count * feedForward);
      this.#project(inner, count, width, [{ ...layer.down, to: y }]);
      functions.add(at, y, count * width, 1);
      this.#normalize(layer.outputNorm, at, count);
    }
  }

  /** Products of the same rows, and their biases. */
  #project(
    x: number,
    rows: number,
    stride: number,
    projections: readonly (Projection<PackedWeights, number> & { to: number })[],
  ): void {
    this.#products.prepare(x, rows, ...projections.map(({ weight }) => weight));
    this.#products.multiply(rows, stride, ...projections.map(({ weight, to }) => [weight, to] as const));
    for (const { weight, bias, to } of projections)
      if (bias) this.#kernels.functions.addBias(to, stride, bias, rows, weight.rows);
  }

  #normalize({ weight, bias }: NormParts<number>, x: number, rows: number): void {
    this.#kernels.functions.layerNorm(x, x, weight, bias, rows, this.width, this.#shape.epsilon);
  }
}

function allocate({ memory }: SharedKernels, { width, heads, headSize, feedForward, contextLength }: EncoderShape) {
  const rows = Math.max(contextLength, BATCH_TOKENS);
  const floats = (columns: number, count = rows): number => memory.allocate(count * (columns + 4) * 4);
  // Keys and values of one text at a time.
  const pageBytes = 2 * heads * headBytes(32, headSize);
  const pages = Array.from({ length: pagesOf(rows) }, () => memory.allocate(pageBytes));
  const table = memory.allocate(pages.length * 4);
  const kvCells = memory.allocate(rows * 8);
  memory.integers(table, pages.length).set(pages);
  const list = memory.integers(kvCells, rows * 2);
  for (let row = 0; row < rows; row++)
    list.set([pages[Math.floor(row / PAGE_POSITIONS)]!, row % PAGE_POSITIONS], row * 2);
  return {
    x: floats(width),
    qkv: floats(3 * width),
    attended: floats(width),
    y: floats(width, PASS_ROWS),
    inner: floats(feedForward, PASS_ROWS),
    table,
    kvCells,
    span: memory.allocate(16),
  };
}

/** Rows in pieces of at most a pass. */
function pieces(rows: number): Rows[] {
  return Array.from({ length: Math.ceil(rows / PASS_ROWS) }, (_, index) => {
    const first = index * PASS_ROWS;
    return { first, count: Math.min(PASS_ROWS, rows - first) };
  });
}
