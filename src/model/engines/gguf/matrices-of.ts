/** The matrices of a decoder. @module */
import type { ModelPlan } from './model-plan.js';
import type { MatrixPlan } from './model-tensors.js';

/** Each once. */
export function matricesOf({ layers, embedding, head }: ModelPlan): MatrixPlan[] {
  return [...layers.flatMap((layer) => Object.values(layer.matrices) as MatrixPlan[]), ...new Set([embedding, head])];
}
