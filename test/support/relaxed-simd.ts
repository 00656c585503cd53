/** Whether WebAssembly has relaxed SIMD. @module */

/** A program with an instruction of it: `i8x16.relaxed_swizzle`. */
export const RELAXED_SIMD = [
  [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0],
  [65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11],
].flat();

/** In this process. */
export function hasRelaxedSimd(): boolean {
  return WebAssembly.validate(new Uint8Array(RELAXED_SIMD));
}
