/** Products of the rows of a pass with matrices, each with activations in the form that it takes. @module */
import type { AdapterProducts } from './adapter-products.js';
import { activationBytes } from './kernel-exports.js';
import { groupsOf, isFloatKind, PackedKind, type PackedWeights } from './packed-kinds.js';
import type { SharedKernels } from './shared-kernels.js';

export class Products {
  readonly #kernels: SharedKernels;
  /** The kernel of products. */
  readonly #name: 'multiply' | 'multiplyExact';
  /** Kinds of matrices whose activations are not rounded. */
  readonly #exactKinds: ReadonlySet<PackedKind>;
  readonly #adapters: AdapterProducts | undefined;
  /** Where the rows are that were prepared. */
  #x = 0;
  /** Addresses of both forms of activations. */
  readonly #at: { rounded: number; exact: number };

  /**
   * @param rows at most
   * @param columns of the widest matrix
   * @param exact activations are never rounded
   * @param adapters add to the products of rows that have them
   */
  constructor(
    kernels: SharedKernels,
    { rows, columns, exact }: { rows: number; columns: number; exact: boolean },
    adapters?: AdapterProducts,
  ) {
    this.#kernels = kernels;
    this.#name = exact ? 'multiplyExact' : 'multiply';
    this.#exactKinds = new Set(Object.values(PackedKind).filter((kind) => exact || isFloatKind(kind)));
    this.#adapters = adapters;
    const bytes = activationBytes(rows, columns);
    this.#at = { rounded: kernels.memory.allocate(bytes), exact: kernels.memory.allocate(bytes) };
  }

  /** Brings rows to the forms of activations that products with these matrices take. They stay as they are until these. */
  prepare(x: number, rows: number, ...matrices: readonly PackedWeights[]): void {
    const { functions } = this.#kernels;
    const [{ columns }] = matrices as [PackedWeights];
    this.#x = x;
    const exact = matrices.filter(({ kind }) => this.#exactKinds.has(kind)).length;
    if (exact < matrices.length) functions.quantize(this.#at.rounded, x, rows, columns);
    if (exact > 0) functions.interleave(this.#at.exact, x, rows, columns);
  }

  /**
   * The products of the prepared rows with matrices.
   * @param stride numbers from a row of the results to the next
   * @param products each a matrix and the address of its result
   */
  multiply(rows: number, stride: number, ...products: readonly (readonly [PackedWeights, number])[]): void {
    this.#kernels.run(
      products.map(([matrix, out]) => {
        const { kind, at, rows: height, columns } = matrix;
        const activations = this.#exactKinds.has(kind) ? this.#at.exact : this.#at.rounded;
        return [this.#name, [kind, out, stride, at, activations, rows, columns], groupsOf(height)];
      }),
    );
    for (const [{ factor, rows: height }, out] of products)
      if (factor !== undefined)
        for (let row = 0; row < rows; row++)
          this.#kernels.functions.scale(out + row * stride * 4, groupsOf(height) * 4, factor);
    this.#adapters?.add(this.#x, stride, products);
  }
}
