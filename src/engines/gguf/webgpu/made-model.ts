/** A small made model with the heads, kinds and traits of a real one: what a GPU is tried with. @module */
import { requirePlain } from './plain-layers.js';
import { type ForwardShape, type RecurrentShape, recurrentWidth } from '../forward-shape.js';
import { kvLayersOf, statesOf } from '../read-layers.js';
import type { GgufHeader, GgufTensor, ReadRange } from '../file/header.js';
import { TENSOR_KINDS, type TensorKind } from '../file/tensor-kinds.js';
import type { ModelPlan } from '../model-plan.js';
import { partsOf } from '../model-weights.js';
import type { LayerPlan } from '../plan-layer.js';
import type { MatrixPlan } from '../model-tensors.js';

/** Numbers between layers and inside: whole superblocks. */
const [WIDTH, INNER, TOKENS] = [256, 512, 320];
const CONTEXT = 128;
/** Positions that layers with a window see. */
const WINDOW = 8;
const MOST_LAYERS = 4;

export interface MadeModel {
  header: GgufHeader;
  plan: ModelPlan;
  shape: ForwardShape;
  read: ReadRange;
}

export function madeModel(plan: ModelPlan, shape: ForwardShape): MadeModel {
  const file = new MadeFile();
  const chosen = distinctLayers(plan, shape);
  const recurrent = shape.recurrent && madeRecurrent(shape.recurrent);
  const layers = chosen.map((index) => {
    const { kvHeads = shape.kvHeads } = shape.layerShapes[index]!;
    return madeLayer(plan.layers[index]!, { ...shape, kvHeads, recurrent }, file);
  });
  const layerShapes = chosen.map((index) => {
    const { feedForward, ...layer } = shape.layerShapes[index]!;
    return { ...layer, window: layer.window > 0 ? WINDOW : 0, ...(feedForward === 0 && { feedForward }) };
  });
  const embedding = file.matrix(plan.embedding.tensor.kind, WIDTH, TOKENS);
  const isTied = plan.head === plan.embedding;
  const smaller: ForwardShape = {
    ...shape,
    layers: layers.length,
    width: WIDTH,
    feedForward: INNER,
    vocabulary: TOKENS,
    contextLength: CONTEXT,
    curves: shape.curves && chosen.map((index) => shape.curves![index]!),
    layerShapes,
    recurrent,
    kvLayers: kvLayersOf(layerShapes, shape),
    stateBytes: statesOf(recurrent, layerShapes),
  };
  const made: ModelPlan = {
    architecture: plan.architecture,
    shape: smaller,
    embedding,
    head: isTied ? embedding : file.matrix(plan.head.tensor.kind, WIDTH, TOKENS),
    outputNorm: file.vector(WIDTH, 1),
    ropeFactors: undefined,
    layerInputs: undefined,
    layers,
  };
  return { header: file.header(), plan: made, shape: smaller, read: file.read };
}

/** The memories of a real one; a short convolution has as many channels as a row numbers. */
const madeRecurrent = (shape: RecurrentShape): RecurrentShape =>
  shape.kind === 'convolution' ? { ...shape, channels: WIDTH } : shape;

/** Numbers that the matrices of a layer with a state take and give, and those of its vectors. */
function recurrentSizes(shape: RecurrentShape): { matrices: Sizes; vectors: Record<string, number> } {
  const { kind, taps, channels, heads, headSize } = shape;
  const width = recurrentWidth(shape);
  const mixed = { convolution: 3 * channels, delta: channels, scan: width + channels + heads }[kind];
  return {
    matrices: {
      mixIn: [WIDTH, mixed],
      mixGate: [WIDTH, width],
      beta: [WIDTH, heads],
      alpha: [WIDTH, heads],
      betaAlpha: [WIDTH, 2 * heads],
      mixOutput: [width, WIDTH],
    },
    vectors: {
      taps: taps * channels,
      tapsBias: channels,
      keeping: heads,
      decay: heads,
      skip: heads,
      mixNorm: kind === 'delta' ? headSize : width,
    },
  };
}

type Sizes = Record<string, readonly [columns: number, rows: number]>;

/** What vectors are around; norms and others: 1. Memories forget. */
const AROUND: Record<string, number> = { keeping: 0, decay: -0.5 };

/** With the kinds and the vectors of a real one. */
function madeLayer(
  { matrices: given, vectors }: LayerPlan,
  { heads, kvHeads, headSize, queryKeyNorm, isQueryGated, recurrent }: ForwardShape,
  file: MadeFile,
): LayerPlan {
  const [queries, keys] = [heads * headSize, kvHeads * headSize];
  const own = recurrent ? recurrentSizes(recurrent) : { matrices: {}, vectors: {} };
  const asked = isQueryGated ? 2 * queries : queries;
  const matrices = requirePlain(given);
  const sizes: Sizes = {
    query: [WIDTH, asked],
    key: [WIDTH, keys],
    value: [WIDTH, keys],
    output: [matrices.query ? queries : recurrentWidth(recurrent!), WIDTH],
    gate: [WIDTH, INNER],
    up: [WIDTH, INNER],
    down: [INNER, WIDTH],
    ...own.matrices,
  };
  const lengths: Record<string, number> = {
    queryBias: asked,
    keyBias: keys,
    valueBias: keys,
    gateBias: INNER,
    upBias: INNER,
    ...own.vectors,
  };
  const norms: Record<string, number> =
    queryKeyNorm === 'row' ? { queryNorm: queries, keyNorm: keys } : { queryNorm: headSize, keyNorm: headSize };
  const made = Object.entries(vectors).map(([name, vector]) => {
    const length = lengths[name] ?? norms[name] ?? WIDTH;
    return [name, vector && file.vector(length, AROUND[name] ?? (name.endsWith('Bias') ? 0 : 1))];
  });
  const madeMatrices = Object.entries<MatrixPlan | undefined>({ ...matrices }).map(([name, matrix]) => [
    name,
    matrix && file.matrix(matrix.tensor.kind, ...sizes[name]!),
  ]);
  return {
    matrices: Object.fromEntries(madeMatrices) as LayerPlan['matrices'],
    vectors: Object.fromEntries(made) as LayerPlan['vectors'],
  };
}

/** Layers of each sort, those first that mix positions in another way: with its kinds of weights, its window and its RoPE, and whether rows are normalized before it. */
function distinctLayers({ layers }: ModelPlan, { layerShapes }: ForwardShape): number[] {
  const sorts = new Map<string, number>();
  for (const [index, { matrices }] of layers.entries()) {
    const { window, rope, isAgain, mixer, kvHeads } = layerShapes[index]!;
    const kinds = partsOf(matrices).map(({ tensor }) => tensor.kind);
    const sort = [window > 0, rope, isAgain, mixer, kvHeads, ...kinds].join();
    if (!sorts.has(sort)) sorts.set(sort, index);
  }
  const all = [...sorts.values()];
  const isNew = (index: number, at: number): boolean =>
    all.findIndex((other) => layerShapes[other]!.mixer === layerShapes[index]!.mixer) === at;
  const chosen = [...all.filter(isNew), ...all.filter((index, at) => !isNew(index, at))].slice(0, MOST_LAYERS);
  return chosen.toSorted((a, b) => a - b);
}

/** Where the 16-bit floats of a block are, and how large its codes times their factors get. */
const BLOCKS: Partial<Record<TensorKind, { halves: readonly number[]; span: number }>> = {
  Q4_0: { halves: [0], span: 8 },
  Q4_1: { halves: [0, 2], span: 15 },
  Q5_0: { halves: [0], span: 16 },
  Q5_1: { halves: [0, 2], span: 31 },
  Q8_0: { halves: [0], span: 127 },
  Q2_K: { halves: [80, 82], span: 45 },
  Q3_K: { halves: [108], span: 128 },
  Q4_K: { halves: [0, 2], span: 945 },
  Q5_K: { halves: [0, 2], span: 1953 },
  Q6_K: { halves: [208], span: 4096 },
  IQ4_NL: { halves: [0], span: 127 },
  IQ4_XS: { halves: [0], span: 4064 },
};
/** Of weights times the root of their number in a row. */
const SIZE = 2;

class MadeFile {
  readonly #tensors: { tensor: GgufTensor; around: number }[] = [];
  #end = 0;

  matrix(kind: TensorKind, columns: number, rows: number): MatrixPlan {
    return { tensor: this.#add(kind, [columns, rows], 0), firstRow: 0, rows };
  }

  vector(length: number, around: number): GgufTensor {
    return this.#add('F32', [length], around);
  }

  header(): GgufHeader {
    const tensors = this.#tensors.map(({ tensor }) => tensor);
    return { file: 'self-check', version: 3, metadata: new Map(), tensors, dataStart: 0, dataEnd: this.#end };
  }

  /** Any bytes of it, always the same. */
  readonly read: ReadRange = async (from, to) => {
    const made = this.#tensors.find(({ tensor }) => from >= tensor.offset && from < tensor.offset + tensor.bytes)!;
    return madeBytes(made.tensor, { count: to - from, around: made.around, seed: (from >>> 2) + 1 });
  };

  #add(kind: TensorKind, shape: readonly number[], around: number): GgufTensor {
    const { values, bytes: blockBytes } = TENSOR_KINDS[kind];
    const bytes = (shape.reduce((product, size) => product * size, 1) / values) * blockBytes;
    const tensor = { name: `tensor ${this.#tensors.length}`, shape, kind, offset: this.#end, bytes };
    this.#tensors.push({ tensor, around });
    this.#end += bytes;
    return tensor;
  }
}

interface MadeBytes {
  count: number;
  /** What vectors are around. */
  around: number;
  seed: number;
}

/** Blocks of a tensor's kind whose numbers are of a usual size: always the same with a seed. */
export function madeBytes(
  { kind, shape }: Pick<GgufTensor, 'kind' | 'shape'>,
  { count, around, seed }: MadeBytes,
): Uint8Array {
  let state = seed;
  /** From -1 to 1. */
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const bytes = new Uint8Array(count);
  const view = new DataView(bytes.buffer);
  const size = SIZE / Math.sqrt(shape[0]!);
  const width = { F32: 4, F16: 2, BF16: 2 }[kind as string];
  if (width !== undefined) {
    for (let at = 0; at < count; at += width) {
      const value = shape.length === 1 ? around + 0.2 * random() : size * random();
      if (kind === 'F32') view.setFloat32(at, value, true);
      else view.setUint16(at, kind === 'F16' ? halfOf(value) : brainOf(value), true);
    }
    return bytes;
  }
  for (let at = 0; at < count; at++) bytes[at] = (random() + 1) * 128;
  const { bytes: blockBytes } = TENSOR_KINDS[kind];
  for (let at = 0; at < count; at += blockBytes) {
    const block = BLOCKS[kind];
    // A power of two.
    if (!block) bytes[at] = 127 + Math.round(Math.log2(size / 8));
    for (const half of block?.halves ?? [])
      view.setUint16(at + half, halfOf((size / block!.span) * (1 + 0.2 * random())), true);
  }
  return bytes;
}

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

/** The upper half of a float's bits. */
function brainOf(value: number): number {
  float[0] = value;
  return word[0]! >>> 16;
}

/** A float of 16 bits near a number below 1. */
function halfOf(value: number): number {
  const sign = value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  // Below 2^-14 halves are whole multiples of 2^-24.
  if (size < 2 ** -14) return sign | Math.round(size * 2 ** 24);
  float[0] = size;
  return sign | ((word[0]! - (112 << 23)) >>> 13);
}
