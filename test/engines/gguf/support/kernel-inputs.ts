/** Numbers in the kernels' memory, for their tests. @module */
import type { Kernels } from '../../../../src/engines/gguf/load-kernels.js';

/** Numbers between -1 and 1 that do not repeat. */
export const wave = (count: number, step = 1.7): Float32Array =>
  Float32Array.from({ length: count }, (_, index) => Math.sin(index * step) * Math.cos(index * 0.013));

/** Copies numbers into the kernels' memory. @returns where they begin */
export function place({ memory }: Kernels, numbers: Float32Array): number {
  const at = memory.allocate(numbers.byteLength);
  memory.floats(at, numbers.length).set(numbers);
  return at;
}
