/** Brings the weights of a decoder into the kernels' memory. @module */
import type { GgufHeader, GgufTensor, ReadRange } from './file/header.js';
import type { Kernels } from './load-kernels.js';
import { loadTensors, tensorBytes, type WantedTensors } from './load-tensors.js';
import type { ModelPlan } from './model-plan.js';
import type { Layer, ModelWeights } from './model-weights.js';

/** Bytes that a file's weights occupy. */
export const weightBytes = (plan: ModelPlan): number => tensorBytes(wantedTensors(plan));

function wantedTensors({ embedding, head, outputNorm, ropeFactors, layers }: ModelPlan): WantedTensors {
  const vectors = [outputNorm, ropeFactors, ...layers.flatMap((layer) => Object.values(layer.vectors))];
  return {
    matrices: [embedding, head, ...layers.flatMap((layer) => Object.values(layer.matrices))],
    vectors: vectors.filter((tensor): tensor is GgufTensor => tensor !== undefined),
  };
}

/**
 * @param read is called in order, without overlaps
 * @returns the weights, and the divisors of RoPE's frequencies
 * @throws InferenceError `insufficient_resources`, `unavailable` for a file that ends too early; what `read` throws
 */
export async function loadWeights(
  plan: ModelPlan,
  { file }: GgufHeader,
  kernels: Kernels,
  read: ReadRange,
): Promise<{ weights: ModelWeights; ropeFactors: Float32Array | undefined }> {
  const { matrix, vector } = await loadTensors(wantedTensors(plan), file, kernels, read);
  const { embedding, head, outputNorm, ropeFactors, layers } = plan;
  return {
    weights: {
      embedding: matrix(embedding),
      head: matrix(head),
      outputNorm: vector(outputNorm),
      layers: layers.map(({ matrices, vectors }): Layer => ({
        ...mapValues(matrices, matrix),
        ...mapValues(vectors, (tensor) => tensor && vector(tensor)),
      })),
    },
    ropeFactors: ropeFactors && kernels.memory.floats(vector(ropeFactors), ropeFactors.shape[0]!).slice(),
  };
}

function mapValues<Parts extends object, To>(
  parts: Parts,
  map: (part: Parts[keyof Parts]) => To,
): { [Name in keyof Parts]: To } {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, map(part as Parts[keyof Parts])])) as {
    [Name in keyof Parts]: To;
  };
}
