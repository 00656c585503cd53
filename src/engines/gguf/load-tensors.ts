/** Brings tensors of a file into the kernels' memory while they stream in: there is never a second copy of them. @module */
import { fetchPart } from '../../core/errors/fetch-part.js';
import { cutFile } from './file/file-problems.js';
import type { GgufTensor, ReadRange } from './file/header.js';
import type { Kernels } from './load-kernels.js';
import type { MatrixPlan } from './model-tensors.js';
import { packedBytes, packedKindOf, type PackedWeights, repackedAs, rowsOf } from './packed-kinds.js';
import { type Repack, WeightPacker } from './weights.js';

/** Most files have none of these kinds. */
const rareKinds = () => fetchPart(() => import('./rare-kinds/gguf-rare-kinds.js'));

/** Bytes that are read at once: a fraction of what a stream's pieces have, or each would be joined of two. */
const PIECE = 2 ** 18;

/** What is wanted of a file. */
export interface WantedTensors {
  matrices: Iterable<MatrixPlan>;
  vectors: Iterable<GgufTensor>;
  /** Nothing is rounded that a file has. */
  isExact?: boolean;
}

/** Where tensors are. */
export interface LoadedTensors {
  matrix: (plan: MatrixPlan) => PackedWeights;
  /** Address of 32-bit floats. */
  vector: (tensor: GgufTensor) => number;
}

/** Bytes that tensors occupy in memory. */
export function tensorBytes({ matrices, vectors, isExact }: WantedTensors): number {
  let bytes = 0;
  for (const { kind, shape } of tensorsOf(matrices))
    bytes += packedBytes(packedKindOf(kind, isExact)!, rowsIn(shape), shape[0]!);
  for (const tensor of new Set(vectors)) bytes += tensor.bytes;
  return bytes;
}

/** Rows of all matrices of a tensor. */
const rowsIn = (shape: readonly number[]): number => shape.slice(1).reduce((rows, size) => rows * size, 1);

/** Numbers that products are multiplied by. */
function scalesOf(matrices: Iterable<MatrixPlan>): GgufTensor[] {
  return Array.from(matrices, ({ scale }) => scale?.tensor).filter((tensor) => tensor !== undefined);
}

/** What brings kinds without kernels to others; undefined: there are none. */
export async function repackerOf(matrices: Iterable<MatrixPlan>): Promise<Repack | undefined> {
  const isRare = [...tensorsOf(matrices)].some(({ kind }) => repackedAs(kind) !== undefined);
  return isRare ? (await rareKinds()).repackRare : undefined;
}

/** Each once. */
const tensorsOf = (matrices: Iterable<MatrixPlan>): Set<GgufTensor> =>
  new Set(Array.from(matrices, ({ tensor }) => tensor));

/**
 * @param file its name, for messages
 * @param read is called in order, without overlaps
 * @throws InferenceError `insufficient_resources`, `unavailable` for a file that ends too early; what `read` throws
 */
export async function loadTensors(
  wanted: WantedTensors,
  file: string,
  kernels: Kernels,
  read: ReadRange,
): Promise<LoadedTensors> {
  const { memory } = kernels;
  const packer = new WeightPacker(kernels);
  const vectors = new Map<GgufTensor, number>();
  const matrices = new Map<GgufTensor, PackedWeights>();
  const repack = await repackerOf(wanted.matrices);
  const exactly = async (from: number, to: number): Promise<Uint8Array> => {
    const bytes = await read(from, to);
    if (bytes.length < to - from) throw cutFile(file);
    return bytes;
  };
  const asVectors = new Set([...wanted.vectors, ...scalesOf(wanted.matrices)]);
  const all = [...new Set([...tensorsOf(wanted.matrices), ...asVectors])];
  for (const tensor of all.toSorted((a, b) => a.offset - b.offset)) {
    const { name, kind, shape, offset, bytes } = tensor;
    const end = offset + bytes;
    if (asVectors.has(tensor)) {
      const to = memory.allocate(bytes);
      memory.bytes(to, bytes).set(await exactly(offset, end));
      vectors.set(tensor, to);
      continue;
    }
    const { isExact = false } = wanted;
    const writer = packer.begin({ name, kind, rows: rowsIn(shape), columns: shape[0]!, isExact }, repack);
    for (let from = offset; from < end; from += PIECE) writer.write(await exactly(from, Math.min(from + PIECE, end)));
    matrices.set(tensor, writer.finish());
  }
  return {
    matrix: ({ tensor, firstRow, rows, scale }) => ({
      ...rowsOf(matrices.get(tensor)!, firstRow, rows),
      ...(scale && { factor: memory.floats(vectors.get(scale.tensor)!, scale.index + 1)[scale.index]! }),
    }),
    vector: (tensor) => vectors.get(tensor)!,
  };
}
