/** The matrices of a decoder. @module */
import type { ModelPlan } from './model-plan.js';
import type { MatrixPlan } from './model-tensors.js';
import { partsOf } from './model-weights.js';

/** All matrices of a decoder, those of experts included. */
export function matricesOf({ embedding, head, layers, layerInputs }: ModelPlan): MatrixPlan[] {
  const ofLayers = layers.flatMap(({ matrices, experts }) => [
    ...partsOf(matrices),
    ...(experts ? [...experts.gate, ...experts.up, ...experts.down] : []),
  ]);
  const all = [embedding, head, layerInputs?.table, layerInputs?.projection, ...ofLayers];
  return all.filter((matrix) => matrix !== undefined);
}
