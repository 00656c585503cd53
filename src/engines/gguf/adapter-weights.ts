/** Brings LoRA adapters into the kernels' memory, beside the weights that they change. @module */
import { type AdapterPlan, LOOK_UP, packedSize } from './adapter-plan.js';
import { cutFile } from './file/file-problems.js';
import type { GgufTensor, ReadRange } from './file/header.js';
import { TENSOR_KINDS } from './file/tensor-kinds.js';
import type { Kernels } from './load-kernels.js';
import type { ModelPlan } from './model-plan.js';
import type { MatrixPlan } from './model-tensors.js';
import type { ModelWeights } from './model-weights.js';
import { type PackedWeights, rowsOf } from './packed-kinds.js';
import { WeightPacker } from './weights.js';

/** What is added to the product of a matrix. */
export interface AdapterPart {
  a: PackedWeights;
  b: PackedWeights;
  factor: number;
}

/** An adapter in the kernels' memory. */
export interface LoadedAdapter {
  /** By the matrix of the model. */
  parts: ReadonlyMap<PackedWeights, AdapterPart>;
  /** What is added to a token that is looked up. */
  lookUp: AdapterPart | undefined;
}

/**
 * @param read is called in order, without overlaps
 * @throws InferenceError `insufficient_resources`, `unavailable` for a file that ends too early; what `read` throws
 */
export async function loadAdapter(
  { file, pairs }: AdapterPlan,
  model: { plan: ModelPlan; weights: ModelWeights },
  kernels: Kernels,
  read: ReadRange,
): Promise<LoadedAdapter> {
  const packer = new WeightPacker(kernels);
  const packed = new Map<GgufTensor, PackedWeights>();
  const halves = [...pairs.values()].flatMap(({ a, b, rank }) => [a, b].map((tensor) => ({ tensor, rank })));
  for (const { tensor, rank } of halves.toSorted((one, other) => one.tensor.offset - other.tensor.offset)) {
    const { name, kind, offset, bytes } = tensor;
    const content = await read(offset, offset + bytes);
    if (content.length < bytes) throw cutFile(file);
    const { rows, columns } = packedSize(tensor, rank);
    const writer = packer.begin({ name, kind, rows, columns });
    writer.write(padded(content, tensor, { rows, columns }));
    packed.set(tensor, writer.finish());
  }
  const partOf = (name: string, firstRow: number, rows: number): AdapterPart | undefined => {
    const pair = pairs.get(name);
    return pair && { a: packed.get(pair.a)!, b: rowsOf(packed.get(pair.b)!, firstRow, rows), factor: pair.factor };
  };
  const parts = matricesOf(model).flatMap(([{ tensor, firstRow, rows }, matrix]) => {
    const part = partOf(tensor.name, firstRow, rows);
    return part ? [[matrix, part] as const] : [];
  });
  return { parts: new Map(parts), lookUp: partOf(LOOK_UP, 0, model.weights.embedding.columns) };
}

/** Those of products, as they are planned and where they are. */
function matricesOf({ plan, weights }: { plan: ModelPlan; weights: ModelWeights }): [MatrixPlan, PackedWeights][] {
  // A tensor that is looked up, too, has no adapter.
  const head: [MatrixPlan, PackedWeights] = [plan.head, weights.head];
  const inputs: [MatrixPlan, PackedWeights][] =
    plan.layerInputs && weights.layerInputs ? [[plan.layerInputs.projection, weights.layerInputs.projection]] : [];
  return [
    head,
    ...inputs,
    ...plan.layers.flatMap(({ matrices }, layer) =>
      (Object.keys(matrices) as (keyof typeof matrices)[]).flatMap((name): [MatrixPlan, PackedWeights][] => {
        const [planned, packed] = [matrices[name], weights.layers[layer]![name]];
        return planned && packed ? [[planned, packed]] : [];
      }),
    ),
  ];
}

/** Rows are filled with zeros behind their end, and rows of zeros follow. */
function padded(
  content: Uint8Array,
  { kind, shape }: GgufTensor,
  { rows, columns }: { rows: number; columns: number },
): Uint8Array {
  const { bytes, values } = TENSOR_KINDS[kind];
  const [from, to] = [(shape[0]! / values) * bytes, (columns / values) * bytes];
  if (from === to && content.length === rows * to) return content;
  const all = new Uint8Array(rows * to);
  for (let row = 0; row * from < content.length; row++)
    all.set(content.subarray(row * from, (row + 1) * from), row * to);
  return all;
}
