/** What layers of Gemma 4 take of tokens themselves: half of it looked up, half made of their embedding. @module */
import type { ForwardShape } from './forward-shape.js';
import type { InputTable, LayerInputs, TableRows } from './model-weights.js';
import type { PackedWeights } from './packed-kinds.js';
import type { Products } from './products.js';
import type { SharedKernels } from './shared-kernels.js';

const isStored = (table: InputTable): table is TableRows => 'bring' in table;

export class InputLookUp {
  readonly #kernels: SharedKernels;
  readonly #products: Products;
  readonly #shape: ForwardShape;
  readonly #weights: LayerInputs<PackedWeights, number, InputTable>;
  /** A row of a table in memory. */
  readonly #row: number;

  constructor(
    kernels: SharedKernels,
    products: Products,
    shape: ForwardShape,
    weights: LayerInputs<PackedWeights, number, InputTable>,
  ) {
    this.#kernels = kernels;
    this.#products = products;
    this.#shape = shape;
    this.#weights = weights;
    this.#row = kernels.memory.allocate((weights.projection.rows + 4) * 4);
  }

  /** Brings what is looked up for tokens into memory; undefined: it is there, until the next call. */
  bring(tokens: readonly number[]): Promise<void> | undefined {
    const { table } = this.#weights;
    return isStored(table) ? table.bring(tokens) : undefined;
  }

  /** @param x the tokens' embeddings, which are scaled @param to inputs of all layers, token by token */
  write(tokens: readonly number[], x: number, to: number): void {
    const { functions } = this.#kernels;
    const { layers, layerInput = 0, width, epsilon } = this.#shape;
    const { projection, norm } = this.#weights;
    const rows = tokens.length;
    const columns = layers * layerInput;
    this.#products.prepare(x, rows, projection);
    this.#products.multiply(rows, columns, [projection, to]);
    functions.scale(to, rows * columns, width ** -0.5);
    functions.normHeads(to, columns, norm, rows, layers, layerInput, epsilon);
    for (const [row, token] of tokens.entries())
      functions.add(to + row * columns * 4, this.#rowOf(token, columns), columns, Math.sqrt(layerInput));
    functions.scale(to, rows * columns, Math.SQRT1_2);
  }

  #rowOf(token: number, columns: number): number {
    const { table } = this.#weights;
    if (isStored(table)) return table.rowOf(token);
    this.#kernels.functions.unpackRow(table.kind, this.#row, table.at, token, columns);
    return this.#row;
  }
}
