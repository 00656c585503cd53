/** What makes logits of a text's tokens. Small, so it is computed in 64-bit floats. @module */
import type { Projection, ScoreParts } from './encoder-parts.js';
import type { Kernels } from './load-kernels.js';
import type { PackedWeights } from './packed-kinds.js';

interface Rows {
  weights: readonly Float32Array[];
  bias: Float32Array | undefined;
}

/** How a model scores. */
interface ScoreTraits {
  /** Of the mean of all tokens, through GELU and a norm; else of the first token, through tanh. */
  byMean: boolean;
  epsilon: number;
}

type Vectors = Pick<Kernels, 'functions' | 'memory'>;

export class ScoreHead {
  readonly #dense: Rows | undefined;
  readonly #norm: Float32Array | undefined;
  readonly #output: Rows;
  readonly #traits: ScoreTraits;

  constructor(kernels: Vectors, parts: ScoreParts<PackedWeights, number>, traits: ScoreTraits) {
    const { memory } = kernels;
    const { columns } = parts.output.weight;
    this.#traits = traits;
    this.#dense = parts.dense && unpack(kernels, parts.dense);
    this.#norm = parts.norm && memory.floats(parts.norm.weight, columns).slice();
    this.#output = unpack(kernels, parts.output);
  }

  /** One for each label. @param states of all tokens, one behind the other */
  logitsOf(states: Float32Array, width: number): number[] {
    const { byMean, epsilon } = this.#traits;
    const state = byMean ? meanOf(states, width) : states.subarray(0, width);
    const dense = this.#dense ? multiply(this.#dense, state) : Array.from(state);
    const inner = this.#dense ? dense.map(byMean ? gelu : Math.tanh) : dense;
    return multiply(this.#output, this.#norm ? normed(inner, this.#norm, epsilon) : inner);
  }
}

/** A matrix as rows of numbers. */
export function unpack({ functions, memory }: Vectors, { weight, bias }: Projection<PackedWeights, number>): Rows {
  const { columns } = weight;
  const row = memory.allocate(columns * 4);
  return {
    weights: Array.from({ length: weight.rows }, (_, index) => {
      functions.unpackRow(weight.kind, row, weight.at, index, columns);
      return memory.floats(row, columns).slice();
    }),
    bias: bias === undefined ? undefined : memory.floats(bias, weight.rows).slice(),
  };
}

export function multiply({ weights, bias }: Rows, given: ArrayLike<number>): number[] {
  return weights.map((row, index) => row.reduce((sum, weight, at) => sum + weight * given[at]!, bias?.[index] ?? 0));
}

function meanOf(states: Float32Array, width: number): number[] {
  const count = states.length / width;
  return Array.from({ length: width }, (_, column) => {
    let sum = 0;
    for (let row = 0; row < count; row++) sum += states[row * width + column]!;
    return sum / count;
  });
}

const gelu = (x: number): number => 0.5 * x * (1 + Math.tanh(0.797_884_560_802_865_4 * x * (1 + 0.044_715 * x * x)));

function normed(row: readonly number[], weight: Float32Array, epsilon: number): number[] {
  const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
  const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
  return row.map((value, column) => ((value - mean) / Math.sqrt(variance + epsilon)) * weight[column]!);
}
