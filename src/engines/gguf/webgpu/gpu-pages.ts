/** Pages of keys and values on a GPU: a buffer for each layer, with all pages of it. @module */
import type { ForwardShape } from '../forward-shape.js';
import { PAGE_POSITIONS } from '../kernel-exports.js';
import type { PageStore } from '../kv-pages.js';
import type { GpuMemory } from './gpu-memory.js';
import { GpuStates } from './gpu-states.js';
import { LayerBlocks } from './layer-blocks.js';

/** Pages that there are from the beginning. */
const FIRST_PAGES = 16;

/** Bits of a number of keys and values here: 8 are on WASM alone, see `findGpu`. */
export const gpuPrecision = ({ precision }: Pick<ForwardShape, 'precision'>): 16 | 32 => (precision === 32 ? 32 : 16);

/** Bytes of each layer in a page; 0: it has no keys and values of its own. */
export function layerPageBytes(shape: ForwardShape): number[] {
  return Array.from({ length: shape.layers }, (_, layer) => {
    const { kvHeads, headSize } = shape.kvLayers?.[layer] ?? shape;
    return (2 * kvHeads * headSize * PAGE_POSITIONS * gpuPrecision(shape)) / 8;
  });
}

/** Pages that a binding holds. */
export const mostPages = (shape: ForwardShape, limit: number): number =>
  Math.floor(limit / Math.max(...layerPageBytes(shape)));

export class GpuPages extends LayerBlocks implements PageStore {
  /** Undefined: no layer is recurrent. */
  readonly states: GpuStates | undefined;

  /** @param limit bytes of a binding */
  constructor(memory: GpuMemory, shape: ForwardShape, limit: number) {
    const most = mostPages(shape, limit);
    super(memory, {
      layerBytes: layerPageBytes(shape),
      first: Math.min(FIRST_PAGES, most),
      most,
      full: 'The keys and values of the open conversations need more memory than the GPU binds at a time.',
    });
    if (shape.recurrent) this.states = new GpuStates(memory, shape, limit);
  }
}
