/**
 * What a LoRA adapter changes, by the head of its file. Whatever of it would not be computed is refused here, before any weights
 * are fetched.
 * @module
 */
import { shown, unsupported } from './file/file-problems.js';
import type { GgufHeader, GgufTensor } from './file/header.js';
import type { ModelPlan } from './model-plan.js';
import { partsOf } from './model-weights.js';
import { columnsOfBlock, isFloatKind, packedBytes, packedKindOf, repackedAs } from './packed-kinds.js';

/** The two thin matrices beside one of the model's: what is added is B × (A × input). */
interface AdapterPair {
  /** A row for each of the ranks; of the look-up of tokens a row for each token. */
  a: GgufTensor;
  /** A row for each row of the model's matrix; of the look-up a row for each number of a token. */
  b: GgufTensor;
  rank: number;
  /** What the product is multiplied by. */
  factor: number;
}

export interface AdapterPlan {
  /** For messages. */
  file: string;
  /** By the name of the model's tensor. */
  pairs: ReadonlyMap<string, AdapterPair>;
  /** In memory. */
  bytes: number;
  /** Numbers of the widest row that its products take or give between its halves. */
  width: number;
}

/** The tensor whose rows are looked up. */
export const LOOK_UP = 'token_embd.weight';

/** Ranks beyond it are those of no adapter. */
const MOST_RANKS = 4096;
/** Rows of packed matrices are multiples of it. */
const STEP = 32;

/** A rank as the kernels take it: what is missing is filled with zeros. */
const paddedRank = (rank: number): number => Math.ceil(rank / STEP) * STEP;

/** Keys that change no number: names of what the adapter is for. */
const INFORMATIVE = new Set(['adapter.lora.task_name', 'adapter.lora.prompt_prefix']);

/**
 * @param scale of the entry
 * @throws InferenceError `model_not_supported`, permanent; its message names the adapter's file and what does not fit
 */
export function planAdapter(header: GgufHeader, plan: ModelPlan, scale: number): AdapterPlan {
  const { file } = header;
  const alpha = readAlpha(header, plan);
  const matrices = new Map(tensorsOf(plan).map((tensor) => [tensor.name, tensor]));
  const halves = new Map(header.tensors.map((tensor) => [tensor.name, tensor]));
  const pairs = new Map<string, AdapterPair>();
  for (const { name } of header.tensors) {
    const base = /^(.+)\.lora_[ab]$/.exec(name)?.[1];
    const matrix = base === undefined ? undefined : matrices.get(base);
    if (base === undefined || !matrix)
      throw unsupported(file, `it has the tensor \`${shown(name)}\`, which changes nothing that the model computes`);
    if (pairs.has(base)) continue;
    const [a, b] = [halves.get(`${base}.lora_a`), halves.get(`${base}.lora_b`)];
    if (!a || !b) throw unsupported(file, `it has no tensor \`${shown(base)}.lora_${a ? 'b' : 'a'}\``);
    const isLookUp = base === LOOK_UP;
    if (isLookUp && plan.head === plan.embedding)
      throw unsupported(file, 'it changes the look-up of tokens of a model whose logits come from the same tensor');
    const rank = b.shape[0]!;
    if (rank > MOST_RANKS) throw unsupported(file, `its tensor \`${shown(b.name)}\` has ${rank} ranks`);
    const [columns, rows] = [matrix.shape[0]!, matrix.shape[1] ?? 1];
    checkShape(file, a, isLookUp ? [rank, rows] : [columns, rank]);
    checkShape(file, b, [rank, isLookUp ? columns : rows]);
    pairs.set(base, { a, b, rank, factor: alpha === 0 ? scale : (scale * alpha) / rank });
  }
  if (pairs.size === 0) throw unsupported(file, 'it has no weights');
  const width = Math.max(...[...pairs.values()].map(({ rank }) => paddedRank(rank)));
  return { file, pairs, bytes: bytesOf(pairs.values()), width };
}

/** @returns 0: products are not multiplied by a number of the file's */
function readAlpha({ file, metadata }: GgufHeader, { architecture }: ModelPlan): number {
  const shownValue = (key: string): string => shown(String(metadata.get(key)));
  if (metadata.get('general.type') !== 'adapter') throw unsupported(file, 'it is not an adapter');
  if (metadata.get('adapter.type') !== 'lora')
    throw unsupported(file, `it is an adapter of type \`${shownValue('adapter.type')}\`, not \`lora\``);
  if (metadata.get('general.architecture') !== architecture) {
    const own = shownValue('general.architecture');
    throw unsupported(file, `it is an adapter for the architecture \`${own}\`, and the model's is \`${architecture}\``);
  }
  for (const key of metadata.keys()) {
    const isKnown = key === 'adapter.type' || key === 'adapter.lora.alpha' || INFORMATIVE.has(key);
    if (key.startsWith('adapter.') && !isKnown)
      throw unsupported(file, `its metadata \`${shown(key)}\` is not supported`);
  }
  const alpha = metadata.get('adapter.lora.alpha') ?? 0;
  if (typeof alpha !== 'number' || !Number.isFinite(alpha))
    throw unsupported(file, 'its metadata `adapter.lora.alpha` is not a number');
  return alpha;
}

/** The matrices of a model that adapters can change. */
function tensorsOf({ embedding, head, layers, layerInputs }: ModelPlan): GgufTensor[] {
  const matrices = layers.flatMap((layer) => partsOf(layer.matrices));
  const inputs = layerInputs ? [layerInputs.projection] : [];
  return [embedding, head, ...inputs, ...matrices].map(({ tensor }) => tensor);
}

/** That the kernels can compute with it, too. */
function checkShape(file: string, { name, kind, shape }: GgufTensor, wanted: readonly [number, number]): void {
  const found = [shape[0]!, shape[1] ?? 1, ...shape.slice(2).filter((size) => size !== 1)];
  if (found.join() !== wanted.join())
    throw unsupported(
      file,
      `its tensor \`${shown(name)}\` has the shape ${shape.join(' × ')}, which does not fit the model`,
    );
  const packed = packedKindOf(kind);
  if (packed === undefined || repackedAs(kind) || (!isFloatKind(packed) && wanted[0] % columnsOfBlock(packed) !== 0))
    throw unsupported(file, `its tensor \`${shown(name)}\` is of kind ${kind}, which is not supported`);
}

/** Rows and columns of a packed half of a pair. */
export function packedSize({ shape }: GgufTensor, rank: number): { rows: number; columns: number } {
  const padded = (size: number): number => (size === rank ? paddedRank(size) : size);
  return { columns: padded(shape[0]!), rows: padded(shape[1] ?? 1) };
}

function bytesOf(pairs: Iterable<AdapterPair>): number {
  let bytes = 0;
  for (const { a, b, rank } of pairs)
    for (const tensor of [a, b]) {
      const { rows, columns } = packedSize(tensor, rank);
      bytes += packedBytes(packedKindOf(tensor.kind)!, rows, columns);
    }
  return bytes;
}
