/** Brings the weights of a decoder into the kernels' memory. @module */
import { fetchPart } from '../../core/errors/fetch-part.js';
import type { GgufHeader, ReadRange } from './file/header.js';
import type { Kernels } from './load-kernels.js';
import { loadTensors, tensorBytes, type WantedTensors } from './load-tensors.js';
import { matricesOf } from './matrices-of.js';
import type { ModelPlan } from './model-plan.js';
import { type Layer, type ModelWeights, partsOf } from './model-weights.js';

/** With the layers that only some models have, where it is one of them. */
export type LoadedWeights = ModelWeights & { blocks?: typeof import('./gguf-blocks.js') | undefined };

const readBlocks = () => fetchPart(() => import('./gguf-blocks.js'));

/** Bytes that a file's weights occupy. */
export const weightBytes = (plan: ModelPlan, isExact: boolean): number =>
  tensorBytes({ ...wantedTensors(plan), isExact });

function wantedTensors(plan: ModelPlan): WantedTensors {
  const { outputNorm, ropeFactors, layers, layerInputs } = plan;
  const ofLayers = layers.flatMap((layer) => partsOf(layer.vectors));
  const vectors = [outputNorm, ropeFactors, layerInputs?.norm, ...ofLayers];
  return { matrices: matricesOf(plan), vectors: vectors.filter((tensor) => tensor !== undefined) };
}

/**
 * @param read is called in order, without overlaps
 * @returns the weights, and the divisors of RoPE's frequencies
 * @throws InferenceError `insufficient_resources`, `unavailable` for a file that ends too early; what `read` throws
 */
export async function loadWeights(
  plan: ModelPlan,
  { file }: GgufHeader,
  { kernels, isExact = false }: { kernels: Kernels; isExact?: boolean },
  read: ReadRange,
): Promise<{ weights: LoadedWeights; ropeFactors: Float32Array | undefined }> {
  const { matrix, vector } = await loadTensors({ ...wantedTensors(plan), isExact }, file, kernels, read);
  const { embedding, head, outputNorm, ropeFactors, layers, layerInputs } = plan;
  const { recurrent, experts } = plan.shape;
  return {
    weights: {
      blocks: recurrent || experts ? await readBlocks() : undefined,
      embedding: matrix(embedding),
      head: matrix(head),
      outputNorm: vector(outputNorm),
      layers: layers.map(({ matrices, vectors, experts }): Layer => ({
        ...mapValues(matrices, (part) => part && matrix(part)),
        ...mapValues(vectors, (tensor) => tensor && vector(tensor)),
        ...(experts && { experts: mapValues(experts, (parts) => parts.map(matrix)) }),
      })),
      layerInputs: layerInputs && {
        table: matrix(layerInputs.table),
        projection: matrix(layerInputs.projection),
        norm: vector(layerInputs.norm),
      },
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
