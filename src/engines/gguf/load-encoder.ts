/** Brings the weights of an encoder into the kernels' memory. @module */
import {
  type EncoderLayer,
  type EncoderParts,
  type EncoderPlan,
  encoderTensors,
  type NormParts,
  type Projection,
} from './encoder-plan.js';
import type { GgufHeader, GgufTensor, ReadRange } from './file/header.js';
import type { Kernels } from './load-kernels.js';
import { loadTensors } from './load-tensors.js';
import type { MatrixPlan } from './model-tensors.js';
import type { PackedWeights } from './packed-kinds.js';

/**
 * @param read is called in order, without overlaps
 * @throws InferenceError `insufficient_resources`, `unavailable` for a file that ends too early; what `read` throws
 */
export async function loadEncoder(
  parts: EncoderPlan['parts'],
  { file }: GgufHeader,
  kernels: Kernels,
  read: ReadRange,
): Promise<EncoderParts<PackedWeights, number>> {
  const { matrix, vector } = await loadTensors(encoderTensors(parts), file, kernels, read);
  const norm = ({ weight, bias }: NormParts<GgufTensor>): NormParts<number> => ({
    weight: vector(weight),
    bias: vector(bias),
  });
  const projection = ({ weight, bias }: Projection<MatrixPlan, GgufTensor>): Projection<PackedWeights, number> => ({
    weight: matrix(weight),
    bias: bias && vector(bias),
  });
  const { tokens, positions, types, score } = parts;
  return {
    tokens: matrix(tokens),
    positions: matrix(positions),
    types: types && matrix(types),
    norm: norm(parts.norm),
    layers: parts.layers.map((layer): EncoderLayer<PackedWeights, number> => ({
      query: projection(layer.query),
      key: projection(layer.key),
      value: projection(layer.value),
      output: projection(layer.output),
      attentionNorm: norm(layer.attentionNorm),
      up: projection(layer.up),
      down: projection(layer.down),
      outputNorm: norm(layer.outputNorm),
    })),
    score: score && { dense: score.dense && projection(score.dense), output: projection(score.output) },
  };
}
