/** The kernels as a forward pass calls them: what is worth it is shared between threads. @module */
import type { KernelExports } from './kernel-exports.js';
import type { KernelMemory } from './kernel-memory.js';
import type { Kernels } from './load-kernels.js';

type Arguments<Name extends 'multiply' | 'attend'> = Parameters<KernelExports[Name]>;
type WithoutLast<List extends unknown[]> = List extends [...infer Rest, unknown] ? Rest : never;
/** All but the share: first and last. */
type Whole<List extends unknown[]> = WithoutLast<WithoutLast<List>>;

export class SharedKernels {
  readonly functions: KernelExports;
  readonly memory: KernelMemory;
  readonly #scratch: number;

  /** @param positions of the longest sequence */
  constructor({ functions, memory }: Kernels, positions: number) {
    this.functions = functions;
    this.memory = memory;
    this.#scratch = memory.allocate(4 * (positions + 16) * 4);
  }

  /** {@link KernelExports.multiply}. @param groups of rows of the matrix */
  multiply(whole: Whole<Arguments<'multiply'>>, groups: number): void {
    this.functions.multiply(...whole, 0, groups);
  }

  /** {@link KernelExports.attend}. @param units of all spans */
  attend(whole: Whole<Whole<[...Arguments<'attend'>, 0]>>, units: number): void {
    this.functions.attend(...whole, this.#scratch, 0, units);
  }
}
