/** Heads of each layer: some models have layers with larger ones, or with fewer of keys. @module */
import type { ForwardShape, LayerShape } from '../forward-shape.js';
import { gpuPrecision } from './gpu-pages.js';
import { mixedRow } from './shaders/recurrent.js';
import type { HeadShape } from './shaders/rotate.js';

export function headsOf(shape: ForwardShape, layer: LayerShape): HeadShape {
  const { kvHeads = shape.kvHeads, headSize: size = shape.headSize, mixer } = layer;
  const mixed = mixer === 'both' ? mixedRow(shape.recurrent!).stride : 0;
  return { size, heads: shape.heads, kvHeads, bits: gpuPrecision(shape), isGated: shape.isQueryGated === true, mixed };
}

/** The most that a layer with attention has of something. */
export const mostOf = (shape: ForwardShape, of: (heads: HeadShape) => number): number =>
  Math.max(
    ...shape.layerShapes.map((layer) => headsOf(shape, layer)).flatMap((heads) => (heads.kvHeads > 0 ? of(heads) : [])),
  );
