/** Brings the weights of a file into the kernels' memory while they stream in: there is never a second copy of them. @module */
import { cutFile } from './file/file-problems.js';
import type { GgufHeader, GgufTensor, ReadRange } from './file/header.js';
import type { Kernels } from './load-kernels.js';
import type { LayerPlan, ModelPlan } from './model-plan.js';
import type { Layer, ModelWeights } from './model-weights.js';
import { packedBytes, packedKindOf, type PackedWeights } from './packed-kinds.js';
import { WeightPacker } from './weights.js';

/** Bytes that are read at once. */
const PIECE = 2 ** 20;

/** Bytes that a file's weights occupy. */
export function weightBytes(plan: ModelPlan): number {
  let bytes = 0;
  for (const tensor of tensorsOf(plan)) {
    const [columns = 0, rows = 0] = tensor.shape;
    bytes += isVector(tensor) ? tensor.bytes : packedBytes(packedKindOf(tensor.kind)!, rows, columns);
  }
  return bytes;
}

const isVector = ({ shape }: GgufTensor): boolean => shape.slice(1).every((size) => size === 1);

/** Each once. */
function tensorsOf({ embedding, head, outputNorm, ropeFactors, layers }: ModelPlan): Set<GgufTensor> {
  const all = [embedding, head, outputNorm, ropeFactors, ...layers.flatMap((layer) => Object.values(layer))];
  return new Set(all.filter((tensor): tensor is GgufTensor => tensor !== undefined));
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
  const { memory } = kernels;
  const packer = new WeightPacker(kernels);
  const vectors = new Map<GgufTensor, number>();
  const matrices = new Map<GgufTensor, PackedWeights>();
  const exactly = async (from: number, to: number): Promise<Uint8Array> => {
    const bytes = await read(from, to);
    if (bytes.length < to - from) throw cutFile(file);
    return bytes;
  };
  for (const tensor of [...tensorsOf(plan)].toSorted((a, b) => a.offset - b.offset)) {
    const { name, kind, shape, offset, bytes } = tensor;
    const end = offset + bytes;
    if (isVector(tensor)) {
      const to = memory.allocate(bytes);
      memory.bytes(to, bytes).set(await exactly(offset, end));
      vectors.set(tensor, to);
      continue;
    }
    const [columns = 0, rows = 0] = shape;
    const writer = packer.begin({ name, kind, rows, columns });
    for (let from = offset; from < end; from += PIECE) writer.write(await exactly(from, Math.min(from + PIECE, end)));
    matrices.set(tensor, writer.finish());
  }
  const matrix = (tensor: GgufTensor): PackedWeights => matrices.get(tensor)!;
  const vector = <Given extends GgufTensor | undefined>(tensor: Given): Given extends undefined ? undefined : number =>
    (tensor && vectors.get(tensor)) as Given extends undefined ? undefined : number;
  const layerOf = (layer: LayerPlan): Layer => ({
    attentionNorm: vector(layer.attentionNorm),
    query: matrix(layer.query),
    key: matrix(layer.key),
    value: matrix(layer.value),
    output: matrix(layer.output),
    queryBias: vector(layer.queryBias),
    keyBias: vector(layer.keyBias),
    valueBias: vector(layer.valueBias),
    outputBias: vector(layer.outputBias),
    queryNorm: vector(layer.queryNorm),
    keyNorm: vector(layer.keyNorm),
    feedForwardNorm: vector(layer.feedForwardNorm),
    gate: matrix(layer.gate),
    up: matrix(layer.up),
    down: matrix(layer.down),
  });
  const { ropeFactors } = plan;
  return {
    weights: {
      embedding: matrix(plan.embedding),
      head: matrix(plan.head),
      outputNorm: vector(plan.outputNorm),
      layers: plan.layers.map(layerOf),
    },
    ropeFactors: ropeFactors && memory.floats(vector(ropeFactors), ropeFactors.shape[0]!).slice(),
  };
}
