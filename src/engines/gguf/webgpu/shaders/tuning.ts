/**
 * How shaders are shaped for the GPU that they run on (`choose-tuning.ts`). All of a model have one tuning: what they add in
 * which order follows from it, so with two a row would have other bits alone than in a tile.
 * @module
 */
import { HEIGHT } from './sizes.js';

/** Sums of a row of weights with a row of activations: block b belongs to sum b mod lanes, in every shader. */
export type Lanes = 16 | 32 | 64;

export interface ShaderTuning {
  lanes: Lanes;
  /**
   * Tiles keep the codes of weights in 16 bits: less workgroup memory, and the same bits, as 16 hold them exactly and products are
   * made of 32. They are packed in words, which needs no `shader-f16`: arrays of `f16` would be as large, and a GPU that has
   * no subnormal numbers of 16 bits would change weights of F16.
   */
  halves: boolean;
}

export const DEFAULT_TUNING: ShaderTuning = { lanes: 16, halves: false };

/** Threads of a product for so many rows of activations: two groups of lanes at least, so that a table has not too many workgroups. */
export const productThreads = (rows: number, lanes: Lanes): number => (rows <= 2 ? Math.max(64, 2 * lanes) : 128);

/** Rows of weights of its workgroup. */
export const productRows = (rows: number, lanes: Lanes): number => (productThreads(rows, lanes) / lanes) * HEIGHT;
