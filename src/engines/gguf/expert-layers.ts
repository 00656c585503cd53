/** Feed-forward networks of experts: each token takes a few of them, chosen by a router. @module */
import type { ExpertsShape, ForwardShape } from './forward-shape.js';
import type { Layer } from './model-weights.js';
import type { Products } from './products.js';
import type { SharedKernels } from './shared-kernels.js';

/** What of a layer its experts have. */
type RoutedLayer = Partial<Layer>;

/** An expert that a token takes. */
interface Choice {
  expert: number;
  weight: number;
}

/** A row and the place that an expert has among those that it takes. */
interface Taker {
  row: number;
  rank: number;
}

/** What passes the gate of a network. */
export type Activate = (out: number, gateUp: number, rows: number, columns: number) => void;

/** Sums of weights are not below it when they divide. */
const LEAST_SUM = 6.103515625e-5;

const padded = (rows: number): number => Math.ceil(rows / 4) * 4;

export class ExpertLayers {
  readonly #kernels: SharedKernels;
  readonly #products: Products;
  readonly #shape: ExpertsShape;
  readonly #width: number;
  readonly #activate: Activate;
  readonly #at: { logits: number; gathered: number; gateUp: number; inner: number; parts: number; given: number };

  /** @param shape with the rows of a pass, at most */
  constructor(
    kernels: SharedKernels,
    products: Products,
    { width, experts, rows }: Pick<ForwardShape, 'width'> & { experts: ExpertsShape; rows: number },
    activate: Activate,
  ) {
    this.#kernels = kernels;
    this.#products = products;
    this.#shape = experts;
    this.#width = width;
    this.#activate = activate;
    const floats = (columns: number, count = rows): number => kernels.memory.allocate(count * (columns + 4) * 4);
    const inner = Math.max(experts.feedForward, experts.sharedFeedForward);
    this.#at = {
      logits: floats(padded(experts.count)),
      gathered: floats(width),
      gateUp: floats(2 * inner),
      inner: floats(inner),
      parts: floats(width),
      given: floats(width, rows * Math.max(...experts.used)),
    };
  }

  /**
   * What the experts of a layer give.
   * @param x rows as they take them @param routed rows as the router takes them @param out rows of the result
   */
  feedForward(
    layer: RoutedLayer,
    index: number,
    { x, routed, out }: { x: number; routed: number; out: number },
    rows: number,
  ): void {
    const width = this.#width;
    const used = this.#shape.used[index % this.#shape.used.length]!;
    const choices = this.#choose(layer, routed, rows, used);
    const takers = new Map<number, Taker[]>();
    for (const [row, own] of choices.entries())
      for (const [rank, { expert }] of own.entries())
        takers.set(expert, [...(takers.get(expert) ?? []), { row, rank }]);
    for (const [expert, taking] of takers) this.#ask(layer, expert, { x, taking, used });
    const { functions, memory } = this.#kernels;
    memory.floats(out, rows * width).fill(0);
    // Of each row in the order of its choices, whatever other rows chose.
    for (const [row, own] of choices.entries())
      for (const [rank, { weight }] of own.entries())
        functions.add(out + row * width * 4, this.#at.given + (row * used + rank) * width * 4, width, weight);
    if (layer.sharedUp) this.#addShared(layer, x, out, rows);
  }

  /** The experts of each row, the likeliest first. */
  #choose(layer: RoutedLayer, x: number, rows: number, used: number): Choice[][] {
    const { count } = this.#shape;
    const { memory } = this.#kernels;
    const stride = padded(count);
    this.#products.prepare(x, rows, layer.router!);
    this.#products.multiply(rows, stride, [layer.router!, this.#at.logits]);
    const all = memory.floats(this.#at.logits, rows * stride);
    const vector = (at: number | undefined): Float32Array | undefined =>
      at === undefined ? undefined : memory.floats(at, count);
    const [bias, choiceBias, scale] = [layer.routerBias, layer.choiceBias, layer.expertScale].map(vector);
    return Array.from({ length: rows }, (_, row) => {
      const logits = Array.from({ length: count }, (__, expert) => all[row * stride + expert]! + (bias?.[expert] ?? 0));
      const values = this.#valuesOf(logits);
      const worth = values.map((value, expert) => value + (choiceBias?.[expert] ?? 0));
      const chosen = worth
        .map((value, expert) => ({ value, expert }))
        .toSorted((a, b) => b.value - a.value || a.expert - b.expert)
        .slice(0, used)
        .map(({ expert }) => expert);
      const weights = this.#weigh(chosen.map((expert) => values[expert]!));
      return chosen.map((expert, rank) => ({ expert, weight: weights[rank]! * (scale?.[expert] ?? 1) }));
    });
  }

  #valuesOf(logits: readonly number[]): number[] {
    const { gating } = this.#shape;
    if (gating === 'softmax') return softmax(logits);
    return gating === 'sigmoid' ? logits.map((logit) => 1 / (1 + Math.exp(-logit))) : [...logits];
  }

  #weigh(values: readonly number[]): number[] {
    const { gating, isNormed } = this.#shape;
    if (gating === 'chosen') return softmax(values);
    if (!isNormed) return [...values];
    const sum = Math.max(
      LEAST_SUM,
      values.reduce((all, value) => all + value, 0),
    );
    return values.map((value) => value / sum);
  }

  /** What one expert gives to all rows that take it. */
  #ask(
    layer: RoutedLayer,
    expert: number,
    { x, taking, used }: { x: number; taking: readonly Taker[]; used: number },
  ): void {
    const { functions, memory } = this.#kernels;
    const { feedForward } = this.#shape;
    const { gathered, gateUp, inner, parts, given } = this.#at;
    const width = this.#width;
    const count = taking.length;
    for (const [index, { row }] of taking.entries())
      functions.copyHeads(gathered + index * width * 4, width, x + row * width * 4, width, 1, 1, width, width);
    const [gate, up, down] = [layer.experts!.gate, layer.experts!.up, layer.experts!.down].map((all) => all[expert]!);
    const [stride, upAt] = [2 * feedForward, gateUp + feedForward * 4];
    const addBias = (to: number, step: number, bias: number | undefined, columns: number): void => {
      if (bias !== undefined) functions.addBias(to, step, bias + expert * columns * 4, count, columns);
    };
    if (gate) {
      this.#products.prepare(gathered, count, gate, up!);
      this.#products.multiply(count, stride, [gate, gateUp], [up!, upAt]);
      addBias(gateUp, stride, layer.expertGateBias, feedForward);
      addBias(upAt, stride, layer.expertUpBias, feedForward);
      this.#activate(inner, gateUp, count, feedForward);
    } else {
      this.#products.prepare(gathered, count, up!);
      this.#products.multiply(count, feedForward, [up!, inner]);
      functions.gelu(inner, count * feedForward);
    }
    this.#products.prepare(inner, count, down!);
    this.#products.multiply(count, width, [down!, parts]);
    addBias(parts, width, layer.expertDownBias, width);
    for (const [index, { row, rank }] of taking.entries()) {
      const to = memory.floats(given + (row * used + rank) * width * 4, width);
      to.set(memory.floats(parts + index * width * 4, width));
    }
  }

  /** Adds what the expert gives that all rows take. */
  #addShared(layer: RoutedLayer, x: number, out: number, rows: number): void {
    const { functions, memory } = this.#kernels;
    const { sharedFeedForward: columns } = this.#shape;
    const { gateUp, inner, parts, logits } = this.#at;
    const { sharedGate, sharedUp, sharedDown, sharedOpening } = layer;
    const width = this.#width;
    this.#products.prepare(x, rows, sharedGate!, sharedUp!);
    this.#products.multiply(rows, 2 * columns, [sharedGate!, gateUp], [sharedUp!, gateUp + columns * 4]);
    if (sharedOpening) {
      this.#products.prepare(x, rows, sharedOpening);
      this.#products.multiply(rows, 4, [sharedOpening, logits]);
    }
    this.#activate(inner, gateUp, rows, columns);
    this.#products.prepare(inner, rows, sharedDown!);
    this.#products.multiply(rows, width, [sharedDown!, parts]);
    for (let row = 0; row < rows; row++) {
      const [logit] = memory.floats(logits + row * 16, 1);
      const opening = sharedOpening ? 1 / (1 + Math.exp(-logit!)) : 1;
      functions.add(out + row * width * 4, parts + row * width * 4, width, opening);
    }
  }
}

function softmax(logits: readonly number[]): number[] {
  const top = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - top));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}
