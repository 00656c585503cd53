/** What makes logits of a text's first token. Small, so it is computed in 64-bit floats. @module */
import type { Projection, ScoreParts } from './encoder-plan.js';
import type { Kernels } from './load-kernels.js';
import type { PackedWeights } from './packed-kinds.js';

interface Rows {
  weights: readonly Float32Array[];
  bias: Float32Array | undefined;
}

export class ScoreHead {
  readonly #dense: Rows | undefined;
  readonly #output: Rows;

  constructor({ functions, memory }: Pick<Kernels, 'functions' | 'memory'>, parts: ScoreParts<PackedWeights, number>) {
    const columns = parts.output.weight.columns;
    const row = memory.allocate(columns * 4);
    const unpack = ({ weight, bias }: Projection<PackedWeights, number>): Rows => ({
      weights: Array.from({ length: weight.rows }, (_, index) => {
        functions.unpackRow(weight.kind, row, weight.at, index, columns);
        return memory.floats(row, columns).slice();
      }),
      bias: bias === undefined ? undefined : memory.floats(bias, weight.rows).slice(),
    });
    this.#dense = parts.dense && unpack(parts.dense);
    this.#output = unpack(parts.output);
  }

  /** One for each label. */
  logitsOf(state: Float32Array): number[] {
    const inner = this.#dense ? multiply(this.#dense, state).map(Math.tanh) : Array.from(state);
    return multiply(this.#output, inner);
  }
}

function multiply({ weights, bias }: Rows, given: ArrayLike<number>): number[] {
  return weights.map((row, index) => row.reduce((sum, weight, at) => sum + weight * given[at]!, bias?.[index] ?? 0));
}
