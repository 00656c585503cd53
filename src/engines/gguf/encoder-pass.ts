/** Passes of an encoder: texts in, the states of their tokens out. Every token of a text sees all of it, or what is near. @module */
import { yieldToEventLoop } from '../../core/platform/pause.js';
import type { EncoderLayer, EncoderParts, EncoderShape, NormParts, Projection } from './encoder-parts.js';
import { type Activate, ExpertLayers } from './expert-layers.js';
import { PASS_ROWS } from './forward.js';
import { attentionUnits, headBytes, PAGE_POSITIONS } from './kernel-exports.js';
import { pagesOf } from './kv-pages.js';
import type { PackedWeights } from './packed-kinds.js';
import { Products } from './products.js';
import { Rope } from './rope.js';
import type { ReadableText, TextReader } from './text-reader.js';
import type { SharedKernels } from './shared-kernels.js';

/** Tokens of a batch of texts, where one is not longer. */
const BATCH_TOKENS = 512;

type Weights = EncoderParts<PackedWeights, number>;
type Layer = EncoderLayer<PackedWeights, number>;
type Norm = NormParts<number> | undefined;

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
  readonly #experts: ExpertLayers | undefined;
  /** Addresses of what a pass computes. */
  readonly #at: ReturnType<typeof allocate>;

  /** @param exact activations are never rounded */
  constructor(kernels: SharedKernels, shape: EncoderShape, weights: Weights, exact: boolean) {
    this.width = shape.width;
    this.#kernels = kernels;
    this.#shape = shape;
    this.#weights = weights;
    this.#products = new Products(kernels, { rows: PASS_ROWS, columns: widestOf(shape), exact });
    this.#at = allocate(kernels, shape);
    const { experts, width } = shape;
    if (experts)
      this.#experts = new ExpertLayers(kernels, this.#products, { width, experts, rows: PASS_ROWS }, this.#activate);
  }

  async read(texts: readonly ReadableText[]): Promise<Float32Array[]> {
    const rows: Rows[] = [];
    let end = 0;
    for (const { ids } of texts) {
      rows.push({ first: end, count: ids.length });
      end += ids.length;
    }
    this.#embed(texts);
    for (const [index, layer] of this.#weights.layers.entries()) {
      this.#attend(layer, index, rows, end);
      this.#finishLayer(layer, index, end);
      // Requests and aborts arrive meanwhile.
      await yieldToEventLoop();
    }
    this.#normalize(this.#weights.outputNorm, { x: this.#at.x, out: this.#at.x }, end);
    const { memory } = this.#kernels;
    const bytes = this.width * 4;
    return rows.map(({ first, count }) => memory.floats(this.#at.x + first * bytes, count * this.width).slice());
  }

  #embed(texts: readonly ReadableText[]): void {
    const { functions } = this.#kernels;
    const { tokens, positions, types, norm } = this.#weights;
    const { width, traits } = this.#shape;
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
        if (positions) addRow(positions, position);
        to += width * 4;
      }
      rows += ids.length;
    }
    if (traits.scalesEmbedding) functions.scale(x, rows * width, Math.sqrt(width));
    this.#normalize(norm, { x, out: x }, rows);
  }

  #attend(layer: Layer, index: number, texts: readonly Rows[], rows: number): void {
    const { width, heads, kvHeads, headSize } = this.#shape;
    const at = this.#at;
    const [keys, shared] = [heads * headSize, kvHeads * headSize];
    const stride = keys + 2 * shared;
    for (const { first, count } of pieces(rows)) {
      const to = at.qkv + first * stride * 4;
      const [x, y] = [at.x + first * width * 4, at.y];
      const normed = this.#normalize(layer.norms.attentionNorm, { x, out: y }, count);
      this.#project(normed, count, stride, [
        { ...layer.query, to },
        { ...layer.key, to: to + keys * 4 },
        { ...layer.value, to: to + (keys + shared) * 4 },
      ]);
      this.#normQueriesAndKeys(layer, to, count);
    }
    for (const text of texts) this.#attendText(index, text, stride);
  }

  #normQueriesAndKeys({ norms: { queryNorm, keyNorm } }: Layer, to: number, rows: number): void {
    const { functions } = this.#kernels;
    const { heads, kvHeads, headSize, epsilon, traits } = this.#shape;
    const stride = (heads + 2 * kvHeads) * headSize;
    for (const [norm, count, at] of [
      [queryNorm, heads, to],
      [keyNorm, kvHeads, to + heads * headSize * 4],
    ] as const) {
      if (!norm) continue;
      if (traits.normsHeads) functions.normHeads(at, stride, norm.weight, rows, count, headSize, epsilon);
      else
        for (let row = 0; row < rows; row++) {
          const x = at + row * stride * 4;
          functions.layerNorm(x, x, norm.weight, norm.bias ?? this.#at.zeros, 1, count * headSize, epsilon);
        }
    }
  }

  #attendText(index: number, { first, count }: Rows, stride: number): void {
    const { functions, memory } = this.#kernels;
    const { heads, kvHeads, headSize, reach, traits } = this.#shape;
    const at = this.#at;
    const [keys, shared] = [heads * headSize, kvHeads * headSize];
    const qkv = at.qkv + first * stride * 4;
    const near = reach[index]!;
    if (traits.positions === 'rope') {
      const { cos, sin } = near > 0 ? at.windowAngles : at.angles;
      functions.rotateHalves(qkv, stride, count, heads + kvHeads, headSize, headSize, cos, sin);
    }
    const out = at.attended + first * keys * 4;
    const scale = headSize ** -0.5;
    if (near > 0 || traits.positions === 'slopes') {
      const sizes = [heads, kvHeads, headSize, scale, near, at.slopes, at.scores] as const;
      functions.attendAround(out, qkv, stride, count, ...sizes);
      return;
    }
    functions.storeHeads(32, qkv, stride, count, keys, keys + shared, kvHeads, headSize, at.kvCells, 0);
    memory.integers(at.span, 4).set([0, count, -count, at.table]);
    const sizes = [heads, kvHeads, headSize, scale, 0, 0] as const;
    const units = attentionUnits(count, heads, kvHeads);
    this.#kernels.run([['attend', [32, out, qkv, stride, ...sizes, at.span, 0, 0], units]]);
  }

  /** What follows attention in a layer. */
  #finishLayer(layer: Layer, index: number, rows: number): void {
    const { functions } = this.#kernels;
    const { width, heads, headSize, traits } = this.#shape;
    const { x, y, attended, before } = this.#at;
    const isBehind = traits.norms === 'behind';
    const { norms } = layer;
    for (const { first, count } of pieces(rows)) {
      const at = x + first * width * 4;
      this.#project(attended + first * heads * headSize * 4, count, width, [{ ...layer.output, to: y }]);
      if (norms.secondNorm) functions.copyHeads(before, width, at, width, count, 1, width, width);
      this.#addBranch(at, norms.attentionPostNorm, count, isBehind);
      if (norms.secondNorm) {
        functions.add(at, before, count * width, 1);
        this.#normalize(norms.secondNorm, { x: at, out: at }, count);
      }
      this.#feedForward(layer, index, at, count);
      this.#addBranch(at, norms.feedForwardPostNorm, count, isBehind);
    }
  }

  /** Adds what is at `y` to rows; its norm is of the sum or of what is added. */
  #addBranch(at: number, norm: Norm, rows: number, isBehind: boolean): void {
    const { y } = this.#at;
    if (!isBehind) this.#normalize(norm, { x: y, out: y }, rows);
    this.#kernels.functions.add(at, y, rows * this.width, 1);
    if (isBehind) this.#normalize(norm, { x: at, out: at }, rows);
  }

  /** @param x rows; the result is at `y` */
  #feedForward({ norms, up, gate, down, ...layer }: Layer, index: number, x: number, rows: number): void {
    const { functions } = this.#kernels;
    const { width, feedForward } = this.#shape;
    const { y, gateUp, inner } = this.#at;
    const normed = this.#normalize(norms.feedForwardNorm, { x, out: y }, rows);
    if (!up || !down) {
      const parts = { router: layer.router, experts: layer.experts };
      this.#experts!.feedForward(parts, index, { x: normed, routed: normed, out: y }, rows);
      return;
    }
    if (gate) {
      const stride = 2 * feedForward;
      const both = [
        { ...gate, to: gateUp },
        { ...up, to: gateUp + feedForward * 4 },
      ];
      this.#project(normed, rows, stride, both);
      this.#activate(inner, gateUp, rows, feedForward);
    } else {
      this.#project(normed, rows, feedForward, [{ ...up, to: inner }]);
      functions.gelu(inner, rows * feedForward);
    }
    this.#project(inner, rows, width, [{ ...down, to: y }]);
  }

  readonly #activate: Activate = (...given) => {
    const { functions } = this.#kernels;
    functions[this.#shape.activation === 'silu-gated' ? 'siluMul' : 'geluMul'](...given);
  };

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

  /** @returns where rows are then: as they were without a norm */
  #normalize(norm: Norm, { x, out }: { x: number; out: number }, rows: number): number {
    if (!norm) return x;
    const { functions } = this.#kernels;
    const { epsilon, traits } = this.#shape;
    const { weight, bias } = norm;
    if (traits.norm === 'rms') functions.rmsNorm(out, x, weight, rows, this.width, epsilon);
    else functions.layerNorm(out, x, weight, bias ?? this.#at.zeros, rows, this.width, epsilon);
    return out;
  }
}

/** Numbers of the widest row that products take. */
export const widestOf = ({ width, feedForward, heads, headSize }: EncoderShape): number =>
  Math.max(width, feedForward, heads * headSize);

function allocate({ memory }: SharedKernels, shape: EncoderShape) {
  const { width, heads, kvHeads, headSize, feedForward, contextLength, rope, activation } = shape;
  const rows = Math.max(contextLength, BATCH_TOKENS);
  const floats = (columns: number, count = rows): number => memory.allocate(count * (columns + 4) * 4);
  // Keys and values of one text at a time.
  const pageBytes = 2 * kvHeads * headBytes(32, headSize);
  const pages = Array.from({ length: pagesOf(rows) }, () => memory.allocate(pageBytes));
  const table = memory.allocate(pages.length * 4);
  const kvCells = memory.allocate(rows * 8);
  memory.integers(table, pages.length).set(pages);
  const list = memory.integers(kvCells, rows * 2);
  for (let row = 0; row < rows; row++)
    list.set([pages[Math.floor(row / PAGE_POSITIONS)]!, row % PAGE_POSITIONS], row * 2);
  const hasRope = shape.traits.positions === 'rope';
  const angles = (base: number): { cos: number; sin: number } => writeAngles(memory, { base, size: headSize, rows });
  const none = { cos: 0, sin: 0 };
  const usual = hasRope ? angles(rope.base) : none;
  return {
    x: floats(width),
    qkv: floats((heads + 2 * kvHeads) * headSize),
    attended: floats(heads * headSize),
    y: floats(width, PASS_ROWS),
    before: floats(width, PASS_ROWS),
    gateUp: floats(activation === 'gelu' ? 0 : 2 * feedForward, PASS_ROWS),
    inner: floats(feedForward, PASS_ROWS),
    zeros: floats(Math.max(width, heads * headSize), 1),
    scores: floats(rows, 1),
    slopes: shape.traits.positions === 'slopes' ? writeSlopes(memory, heads) : 0,
    angles: usual,
    windowAngles: hasRope && rope.windowBase !== rope.base ? angles(rope.windowBase) : usual,
    table,
    kvCells,
    span: memory.allocate(16),
  };
}

type Memory = SharedKernels['memory'];

function writeAngles(
  memory: Memory,
  { base, size, rows }: { base: number; size: number; rows: number },
): { cos: number; sin: number } {
  const rope = new Rope({ size, base, factor: 1, magnitude: 1 });
  const pairs = size / 2;
  const [cos, sin] = [memory.allocate(rows * pairs * 4), memory.allocate(rows * pairs * 4)];
  const [cosines, sines] = [memory.floats(cos, rows * pairs), memory.floats(sin, rows * pairs)];
  for (let row = 0; row < rows; row++) rope.write(row, cosines, sines, row * pairs);
  return { cos, sin };
}

/** How much less a score is for each token in between, head by head: ALiBi with a greatest bias of 8. */
function writeSlopes(memory: Memory, heads: number): number {
  const at = memory.allocate(heads * 4);
  const whole = 2 ** Math.floor(Math.log2(heads));
  const slope = (head: number): number =>
    head < whole ? 2 ** ((-8 * (head + 1)) / whole) : 2 ** ((-4 * (2 * (head - whole) + 1)) / whole);
  memory.floats(at, heads).set(Array.from({ length: heads }, (_, head) => slope(head)));
  return at;
}

/** Rows in pieces of at most a pass. */
function pieces(rows: number): Rows[] {
  return Array.from({ length: Math.ceil(rows / PASS_ROWS) }, (_, index) => {
    const first = index * PASS_ROWS;
    return { first, count: Math.min(PASS_ROWS, rows - first) };
  });
}
