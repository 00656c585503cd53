/** The kernels as a forward pass calls them: what is worth it is shared between threads. @module */
import type { KernelExports } from './kernel-exports.js';
import type { KernelMemory } from './kernel-memory.js';
import type { Kernels } from './load-kernels.js';

/** What a product is called with, but its share: kind, out, stride, weights, activations, rows, columns. */
export type Product = readonly [...ProductArguments];
type ProductArguments = Parameters<KernelExports['multiply']> extends [...infer Rest, number, number] ? Rest : never;

/** What attention is called with, but scratch and share. */
export type Attention = readonly [...AttentionArguments];
type AttentionArguments =
  Parameters<KernelExports['attend']> extends [...infer Rest, number, number, number] ? Rest : never;

export class SharedKernels {
  readonly functions: KernelExports;
  readonly memory: KernelMemory;
  readonly #scratch: number;

  /**
   * @param positions of the longest sequence
   * @param columns of the widest matrix
   */
  constructor({ functions, memory }: Kernels, positions: number, columns: number) {
    this.functions = functions;
    this.memory = memory;
    this.#scratch = memory.allocate(Math.max(4 * (positions + 16), 16 * columns) * 4);
  }

  /** {@link KernelExports.multiply}. @param groups of rows of the matrix */
  multiply(product: Product, groups: number): void {
    this.functions.multiply(...product, 0, groups);
  }

  /** {@link KernelExports.multiplyExact}. @param groups of rows of the matrix */
  multiplyExact(product: Product, groups: number): void {
    this.functions.multiplyExact(...product, 0, groups, this.#scratch);
  }

  /** {@link KernelExports.attend}. @param units of all spans */
  attend(attention: Attention, units: number): void {
    this.functions.attend(...attention, this.#scratch, 0, units);
  }
}
