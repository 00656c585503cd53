/** A small made model with the heads, kinds and traits of a real one: what a GPU is tried with. @module */
import { usedIn } from './routed-layers.js';
import {
  type ExpertsShape,
  type ForwardShape,
  type LayerShape,
  type RecurrentShape,
  recurrentWidth,
} from '../forward-shape.js';
import { kvLayersOf, statesOf } from '../read-layers.js';
import type { GgufHeader, GgufTensor, ReadRange } from '../file/header.js';
import { TENSOR_KINDS, type TensorKind } from '../file/tensor-kinds.js';
import type { ModelPlan } from '../model-plan.js';
import { partsOf } from '../model-weights.js';
import type { LayerPlan } from '../plan-layer.js';
import { headsOf } from './layer-heads.js';
import type { MatrixPlan } from '../model-tensors.js';

/** Numbers between layers, inside, and of a layer's input: whole superblocks. */
const [WIDTH, INNER, INPUT, TOKENS] = [256, 512, 256, 320];
/** Numbers inside an expert, and inside the one that all rows take. */
const [EXPERT, SHARED] = [256, 512];
const CONTEXT = 128;
/** Positions that layers with a window see. */
const WINDOW = 8;
/** And where layers share keys and values. */
const [MOST_LAYERS, MOST_SHARING] = [4, 8];

export interface MadeModel {
  header: GgufHeader;
  plan: ModelPlan;
  shape: ForwardShape;
  read: ReadRange;
  /** Of each layer the one of the real model that it is like. */
  chosen: readonly number[];
}

/** @param isStored the table of inputs for layers is not on the GPU */
export function madeModel(plan: ModelPlan, shape: ForwardShape, isStored = false): MadeModel {
  const file = new MadeFile();
  const chosen = distinctLayers(plan, shape);
  const layerShapes = chosen.map((index) => madeShape(shape.layerShapes[index]!, plan, shape, chosen));
  const experts = shape.experts && madeExperts(shape.experts, chosen);
  const recurrent = shape.recurrent && madeRecurrent(shape.recurrent);
  const layers = chosen.map((index) =>
    madeLayer(plan.layers[index]!, { shape: { ...shape, experts, recurrent }, layer: shape.layerShapes[index]! }, file),
  );
  const embedding = file.matrix(plan.embedding.tensor.kind, WIDTH, TOKENS);
  const isTied = plan.head === plan.embedding;
  const smaller: ForwardShape = {
    ...shape,
    layers: layers.length,
    width: WIDTH,
    feedForward: INNER,
    experts,
    vocabulary: TOKENS,
    contextLength: CONTEXT,
    curves: shape.curves && chosen.map((index) => shape.curves![index]!),
    layerInput: shape.layerInput && INPUT,
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
    layerInputs: plan.layerInputs && madeInputs(plan, { layers: layers.length, isStored }, file),
    layers,
  };
  return { header: file.header(), plan: made, shape: smaller, read: file.read, chosen };
}

/**
 * As many as a row takes. If there were others, a score that is rounded otherwise might choose another one, and all numbers
 * would differ.
 */
function madeExperts(experts: ExpertsShape, chosen: readonly number[]): ExpertsShape {
  const used = chosen.map((index) => usedIn(experts, index));
  const count = Math.max(...used);
  const sharedFeedForward = experts.sharedFeedForward > 0 ? SHARED : 0;
  const beside = experts.beside && INNER;
  return { ...experts, count, used: used.map(() => count), feedForward: EXPERT, sharedFeedForward, beside };
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

/** Numbers that the matrices of a layer take and give, and those of its vectors. */
function layerSizes(
  { matrices, vectors }: LayerPlan,
  shape: ForwardShape,
  layer: LayerShape,
): { matrices: Sizes; vectors: Record<string, number> } {
  const { queryKeyNorm, isQueryGated, recurrent } = shape;
  const { count = 0 } = shape.experts ?? {};
  const { heads, kvHeads, size: headSize } = headsOf(shape, layer);
  const [queries, keys] = [heads * headSize, kvHeads * headSize];
  const own = recurrent ? recurrentSizes(recurrent) : { matrices: {}, vectors: {} };
  const asked = isQueryGated ? 2 * queries : queries;
  const norms = queryKeyNorm === 'row' ? [queries, keys] : [headSize, headSize];
  const lengths: Record<string, number> = {
    queryBias: asked,
    keyBias: keys,
    valueBias: keys,
    gateBias: INNER,
    upBias: INNER,
    outputScale: 1,
    queryNorm: norms[0]!,
    keyNorm: norms[1]!,
    sinks: heads,
    routerBias: count,
    choiceBias: count,
    expertScale: count,
    expertGateBias: EXPERT * count,
    expertUpBias: EXPERT * count,
    expertDownBias: WIDTH * count,
    ...own.vectors,
  };
  return {
    matrices: {
      query: [WIDTH, asked],
      key: [WIDTH, keys],
      value: [WIDTH, keys],
      output: [matrices.query ? queries : recurrent ? recurrentWidth(recurrent) : 0, WIDTH],
      gate: [WIDTH, INNER],
      up: [WIDTH, INNER],
      down: [INNER, WIDTH],
      inputGate: [WIDTH, INPUT],
      inputOutput: [INPUT, WIDTH],
      router: [WIDTH, count],
      sharedGate: [WIDTH, SHARED],
      sharedUp: [WIDTH, SHARED],
      sharedDown: [SHARED, WIDTH],
      sharedOpening: [WIDTH, 1],
      ...own.matrices,
    },
    vectors: Object.fromEntries(Object.keys(vectors).map((name) => [name, lengths[name] ?? WIDTH])),
  };
}

/** With the kinds and the vectors of a real one. */
function madeLayer(
  plan: LayerPlan,
  { shape, layer }: { shape: ForwardShape; layer: LayerShape },
  file: MadeFile,
): LayerPlan {
  const { matrices, vectors, experts } = plan;
  const { count = 0 } = shape.experts ?? {};
  const sizes = layerSizes(plan, shape, layer);
  const isShared = matrices.key !== undefined && matrices.value === matrices.key;
  const names = (Object.keys(matrices) as (keyof typeof matrices)[]).filter(
    (name) => matrices[name] && !(isShared && name === 'value'),
  );
  const made: Partial<Record<keyof typeof matrices, MatrixPlan>> = Object.fromEntries(
    names.map((name) => {
      const [columns, rows] = sizes.matrices[name]!;
      return [name, file.matrix(matrices[name]!.tensor.kind, columns, rows)];
    }),
  );
  const madeVectors = Object.entries(vectors).map(([name, vector]) => [
    name,
    vector && file.vector(sizes.vectors[name]!, AROUND[name] ?? (name.endsWith('Bias') ? 0 : 1)),
  ]);
  return {
    matrices: { ...made, ...(isShared && { value: made.key }) },
    vectors: Object.fromEntries(madeVectors) as LayerPlan['vectors'],
    experts: experts && {
      gate: file.experts(experts.gate[0]!.tensor.kind, [WIDTH, EXPERT], count),
      up: file.experts(experts.up[0]!.tensor.kind, [WIDTH, EXPERT], count),
      down: file.experts(experts.down[0]!.tensor.kind, [EXPERT, WIDTH], count),
    },
  };
}

/** What is looked up of a table that is stored needs no shader of its own. */
function madeInputs(
  { layerInputs, embedding }: ModelPlan,
  { layers, isStored }: { layers: number; isStored: boolean },
  file: MadeFile,
): ModelPlan['layerInputs'] {
  const { table, projection } = layerInputs!;
  const { kind } = (isStored ? embedding : table).tensor;
  return {
    table: file.matrix(kind, INPUT * layers, TOKENS),
    projection: file.matrix(projection.tensor.kind, WIDTH, INPUT * layers),
    norm: file.vector(INPUT, 1),
  };
}

/** @param chosen layers of the real model, one of each sort */
function madeShape(
  { feedForward, kvFrom, ...layer }: LayerShape,
  plan: ModelPlan,
  shape: ForwardShape,
  chosen: readonly number[],
): LayerShape {
  const sort = sortOf(plan, shape);
  return {
    ...layer,
    window: layer.window > 0 ? WINDOW : 0,
    ...(feedForward !== undefined && { feedForward: feedForward && INNER }),
    ...(kvFrom !== undefined && { kvFrom: chosen.findIndex((index) => sort(index) === sort(kvFrom)) }),
  };
}

/** One layer of each sort, those first that mix positions in another way. */
function distinctLayers(plan: ModelPlan, shape: ForwardShape): number[] {
  const sorts = new Map<string, number>();
  const sort = sortOf(plan, shape);
  for (const index of plan.layers.keys()) if (!sorts.has(sort(index))) sorts.set(sort(index), index);
  const all = [...sorts.values()];
  const { layerShapes } = shape;
  const isNew = (index: number, at: number): boolean =>
    all.findIndex((other) => layerShapes[other]!.mixer === layerShapes[index]!.mixer) === at;
  const isSharing = layerShapes.some(({ kvFrom }) => kvFrom !== undefined);
  const chosen = [...all.filter(isNew), ...all.filter((index, at) => !isNew(index, at))];
  return chosen.slice(0, isSharing ? MOST_SHARING : MOST_LAYERS).toSorted((a, b) => a - b);
}

/**
 * How it mixes positions, its kinds of weights, its window, its heads and its RoPE, whose keys it reads, and whether rows are normalized
 * before it.
 */
const sortOf =
  ({ layers }: ModelPlan, { layerShapes }: ForwardShape) =>
  (index: number): string => {
    const { matrices, experts } = layers[index]!;
    const { window, rope, isAgain, mixer, kvHeads, headSize, kvFrom } = layerShapes[index]!;
    const ofExperts = experts ? [experts.gate[0]!, experts.up[0]!, experts.down[0]!] : [];
    const kinds = [...partsOf(matrices), ...ofExperts].map(({ tensor }) => tensor.kind);
    const isShared = matrices.key === matrices.value;
    return [window > 0, rope, isAgain, mixer, kvHeads, headSize, kvFrom !== undefined, isShared, ...kinds].join();
  };

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

  experts(kind: TensorKind, [columns, rows]: readonly [number, number], count: number): MatrixPlan[] {
    const tensor = this.#add(kind, [columns, rows, count], 0);
    return Array.from({ length: count }, (_, index) => ({ tensor, firstRow: index * rows, rows }));
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
    const { offset, bytes: count } = made.tensor;
    // Of a whole tensor, so that they do not depend on how it is read.
    return madeBytes(made.tensor, { count, around: made.around, seed: (offset >>> 2) + 1 }).subarray(
      from - offset,
      to - offset,
    );
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
