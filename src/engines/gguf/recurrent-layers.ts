/** Layers whose state has a fixed size: short convolutions, gated delta nets and Mamba 2. @module */
import { type ForwardShape, recurrentBytes, type RecurrentShape, recurrentWidth } from './forward-shape.js';
import { GateKind } from './recurrent-kernels.js';
import type { Layer } from './model-weights.js';
import type { PackedWeights } from './packed-kinds.js';
import type { Products } from './products.js';
import { hasState } from './read-layers.js';
import type { SharedKernels } from './shared-kernels.js';

/** Rows of a sequence in a pass, and where its state is. */
export interface StateSpan {
  first: number;
  count: number;
  state: number;
}

/** Rows of a pass. */
interface MixedRows {
  /** As the layer takes them. */
  x: number;
  /** [rows][numbers that a row gives]. */
  out: number;
  rows: number;
  spans: readonly StateSpan[];
}

/** Numbers that products write of a row. */
const padded = (rows: number): number => Math.ceil(rows / 4) * 4;

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const softplus = (x: number): number => (x > 20 ? x : Math.log1p(Math.exp(x)));

export class RecurrentLayers {
  readonly #kernels: SharedKernels;
  readonly #products: Products;
  readonly #epsilon: number;
  readonly #shape: RecurrentShape;
  /** Bytes of the convolution's part of a state, and of both parts. */
  readonly #convolution: number;
  readonly #stateBytes: number;
  /** By layer: which of those with a state it is. */
  readonly #order: number[];
  /** By layer: its taps, [taps][channels]. */
  readonly #taps: (number | undefined)[];
  /** Numbers of a row of what goes in. */
  readonly #stride: number;
  /** Numbers that a row gives. */
  readonly #width: number;
  readonly #at: { input: number; mixed: number; opening: number; rates: number; factors: number };

  /** @param shape with the rows of a pass, at most */
  constructor(
    kernels: SharedKernels,
    products: Products,
    shape: ForwardShape & { recurrent: RecurrentShape; rows: number },
    layers: readonly Layer[],
  ) {
    const { rows } = shape;
    this.#kernels = kernels;
    this.#products = products;
    this.#epsilon = shape.epsilon;
    this.#shape = shape.recurrent;
    const { kind, channels, heads } = shape.recurrent;
    const [convolution, memory] = recurrentBytes(shape.recurrent);
    this.#convolution = convolution;
    this.#stateBytes = convolution + memory;
    this.#width = recurrentWidth(shape.recurrent);
    this.#stride = padded({ convolution: 3 * channels, delta: channels, scan: this.#width + channels + heads }[kind]);
    let count = 0;
    this.#order = shape.layerShapes.map((layer) => (hasState(layer) ? count++ : 0));
    this.#taps = layers.map(({ taps }) => (taps === undefined ? undefined : this.#turned(taps)));
    const floats = (columns: number): number => kernels.memory.allocate(rows * columns * 4);
    this.#at = {
      input: floats(this.#stride + 4),
      mixed: floats(channels),
      opening: floats(kind === 'delta' ? this.#width : 0),
      rates: floats(4 * padded(heads)),
      factors: floats(2 * heads),
    };
  }

  /** A file has the taps of each channel together. */
  #turned(given: number): number {
    const { taps, channels } = this.#shape;
    const { memory } = this.#kernels;
    const to = memory.allocate(taps * channels * 4);
    const [from, turned] = [memory.floats(given, taps * channels), memory.floats(to, taps * channels)];
    for (let channel = 0; channel < channels; channel++)
      for (let tap = 0; tap < taps; tap++) turned[tap * channels + channel] = from[channel * taps + tap]!;
    return to;
  }

  /**
   * What a layer gives, before its output's matrix. The states of all spans are then those behind their rows.
   */
  mix(layer: Layer, index: number, pass: MixedRows): void {
    const spans = pass.spans.map((span) => ({ ...span, state: span.state + this.#order[index]! * this.#stateBytes }));
    const { kind } = this.#shape;
    const own = { ...pass, spans };
    if (kind === 'convolution') this.#convolve(layer, index, own);
    else if (kind === 'delta') this.#learn(layer, index, own);
    else this.#scan(layer, index, own);
  }

  #convolve(layer: Layer, index: number, { x, out, rows, spans }: MixedRows): void {
    const { functions } = this.#kernels;
    const { channels, taps } = this.#shape;
    const { input } = this.#at;
    const stride = this.#stride;
    this.#products.prepare(x, rows, layer.mixIn!);
    this.#products.multiply(rows, stride, [layer.mixIn!, input]);
    functions.gateRows(input, stride, input + 2 * channels * 4, stride, rows, channels, GateKind.plain);
    for (const { first, count, state } of spans) {
      const [to, from] = [out + first * channels * 4, input + first * stride * 4];
      functions.convolve(to, channels, from, stride, count, channels, taps, this.#taps[index]!, 0, state, 0);
    }
    functions.gateRows(out, channels, input + channels * 4, stride, rows, channels, GateKind.plain);
  }

  #learn(layer: Layer, index: number, { x, out, rows, spans }: MixedRows): void {
    const { functions } = this.#kernels;
    const { channels, taps, heads, groups, size, sharesKeys } = this.#shape;
    const { input, mixed, opening, factors } = this.#at;
    const width = this.#width;
    this.#products.prepare(x, rows, layer.mixIn!);
    this.#products.multiply(rows, channels, [layer.mixIn!, input]);
    this.#products.prepare(x, rows, layer.mixGate!);
    this.#products.multiply(rows, width, [layer.mixGate!, opening]);
    this.#writeRates(layer, x, rows);
    for (const { first, count, state } of spans) {
      const [from, to] = [input + first * channels * 4, mixed + first * channels * 4];
      functions.convolve(to, channels, from, channels, count, channels, taps, this.#taps[index]!, 0, state, 1);
      functions.unitHeads(to, channels, count, 2 * groups, size, this.#epsilon);
      const cells = state + this.#convolution;
      const own = [heads, groups, size, sharesKeys ? 1 : 0, factors + first * heads * 8, size ** -0.5, cells] as const;
      functions.deltaRule(out + first * width * 4, width, to, channels, count, ...own);
    }
    functions.normHeads(out, width, layer.mixNorm!, rows, heads, size, this.#epsilon);
    functions.gateRows(out, width, opening, width, rows, width, GateKind.silu);
  }

  /** Decay and beta of each head. */
  #writeRates(layer: Layer, x: number, rows: number): void {
    const { heads, groups } = this.#shape;
    const { memory } = this.#kernels;
    const { rates } = this.#at;
    const stride = 2 * padded(heads);
    const half = padded(heads);
    const multiply = (matrix: PackedWeights, to: number): void => {
      this.#products.prepare(x, rows, matrix);
      this.#products.multiply(rows, stride, [matrix, to]);
    };
    if (layer.betaAlpha) multiply(layer.betaAlpha, rates);
    else {
      multiply(layer.beta!, rates);
      multiply(layer.alpha!, rates + half * 4);
    }
    // Those of the heads of values that share one of keys stand together.
    const share = heads / groups;
    const place = (head: number): number => head + Math.floor(head / share) * share;
    const [betaAt, alphaAt] = layer.betaAlpha
      ? [place, (head: number) => place(head) + share]
      : [(head: number) => head, (head: number) => half + head];
    const given = memory.floats(rates, rows * stride);
    const factors = memory.floats(this.#at.factors, rows * heads * 2);
    const [keeping, decay] = [memory.floats(layer.keeping!, heads), memory.floats(layer.decay!, heads)];
    for (let row = 0; row < rows; row++)
      for (let head = 0; head < heads; head++) {
        const [beta, alpha] = [given[row * stride + betaAt(head)]!, given[row * stride + alphaAt(head)]!];
        const to = (row * heads + head) * 2;
        factors[to] = Math.exp(softplus(alpha + keeping[head]!) * decay[head]!);
        factors[to + 1] = sigmoid(beta);
      }
  }

  #scan(layer: Layer, index: number, { x, out, rows, spans }: MixedRows): void {
    const { functions } = this.#kernels;
    const { channels, taps, heads, headSize, groups, size } = this.#shape;
    const { input, mixed, factors } = this.#at;
    const [width, stride] = [this.#width, this.#stride];
    this.#products.prepare(x, rows, layer.mixIn!);
    this.#products.multiply(rows, stride, [layer.mixIn!, input]);
    this.#writeSteps(layer, rows);
    for (const { first, count, state } of spans) {
      const [from, to] = [input + (first * stride + width) * 4, mixed + first * channels * 4];
      const bias = layer.tapsBias ?? 0;
      functions.convolve(to, channels, from, stride, count, channels, taps, this.#taps[index]!, bias, state, 1);
      const own = [heads, headSize, groups, size, factors + first * heads * 8, layer.skip!] as const;
      const cells = state + this.#convolution;
      functions.scanRows(out + first * width * 4, width, to, channels, count, ...own, cells);
    }
    functions.gateRows(out, width, input, stride, rows, width, GateKind.silu);
    if (layer.mixNorm === undefined) return;
    const group = width / groups;
    for (let each = 0; each < groups; each++) {
      const at = each * group * 4;
      functions.normHeads(out + at, width, layer.mixNorm + at, rows, 1, group, this.#epsilon);
    }
  }

  /** Decay and step of each head. */
  #writeSteps(layer: Layer, rows: number): void {
    const { heads, channels } = this.#shape;
    const { memory } = this.#kernels;
    const stride = this.#stride;
    const given = memory.floats(this.#at.input, rows * stride);
    const factors = memory.floats(this.#at.factors, rows * heads * 2);
    const [keeping, decay] = [memory.floats(layer.keeping!, heads), memory.floats(layer.decay!, heads)];
    const at = this.#width + channels;
    for (let row = 0; row < rows; row++)
      for (let head = 0; head < heads; head++) {
        const step = softplus(given[row * stride + at + head]! + keeping[head]!);
        const to = (row * heads + head) * 2;
        factors[to] = Math.exp(step * decay[head]!);
        factors[to + 1] = step;
      }
  }
}
