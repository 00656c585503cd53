/** The matrices of a decoder. @module */
import type { ModelPlan } from './model-plan.js';
import type { MatrixPlan } from './model-tensors.js';
import { partsOf } from './model-weights.js';

/** All matrices of a decoder, those of experts included. @param isStored without a table that stays in the store */
export function matricesOf(
  { embedding, head, layers, layerInputs }: ModelPlan,
  { isStored = false }: { isStored?: boolean } = {},
): MatrixPlan[] {
  const ofLayers = layers.flatMap(({ matrices, experts }) => [
    ...partsOf(matrices),
    ...(experts ? [...experts.gate, ...experts.up, ...experts.down] : []),
  ]);
  const table = isStored ? undefined : layerInputs?.table;
  const all = [embedding, head, table, layerInputs?.projection, ...ofLayers];
  return all.filter((matrix) => matrix !== undefined);
}
