/** Brings the weights of an encoder into the kernels' memory. @module */
import type { EncoderLayer, EncoderNorms, EncoderParts, NormParts, Projection } from './encoder-parts.js';
import { type EncoderPlan, encoderTensors } from './encoder-plan.js';
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
  { kernels, isExact }: { kernels: Kernels; isExact: boolean },
  read: ReadRange,
): Promise<EncoderParts<PackedWeights, number>> {
  const { matrix, vector } = await loadTensors({ ...encoderTensors(parts), isExact }, file, kernels, read);
  const matrixOf = (plan: MatrixPlan | undefined): PackedWeights | undefined => plan && matrix(plan);
  const norm = (given: NormParts<GgufTensor> | undefined): NormParts<number> | undefined =>
    given && { weight: vector(given.weight), bias: given.bias && vector(given.bias) };
  const projection = ({ weight, bias }: Projection<MatrixPlan, GgufTensor>): Projection<PackedWeights, number> => ({
    weight: matrix(weight),
    bias: bias && vector(bias),
  });
  const { tokens, positions, types, score } = parts;
  return {
    tokens: matrix(tokens),
    positions: matrixOf(positions),
    types: matrixOf(types),
    norm: norm(parts.norm),
    layers: parts.layers.map(({ router, experts, up, gate, down, ...layer }): EncoderLayer<PackedWeights, number> => ({
      query: projection(layer.query),
      key: projection(layer.key),
      value: projection(layer.value),
      output: projection(layer.output),
      norms: Object.fromEntries(
        Object.entries(layer.norms as unknown as Record<string, NormParts<GgufTensor> | undefined>).map(
          ([name, given]) => [name, norm(given)],
        ),
      ) as unknown as EncoderNorms<number>,
      up: up && projection(up),
      gate: gate && projection(gate),
      down: down && projection(down),
      router: matrixOf(router),
      experts: experts && { gate: [], up: experts.up.map(matrix), down: experts.down.map(matrix) },
    })),
    outputNorm: norm(parts.outputNorm),
    dense: parts.dense.map(matrix),
    score: score && {
      dense: score.dense && projection(score.dense),
      norm: norm(score.norm),
      output: projection(score.output),
    },
  };
}
