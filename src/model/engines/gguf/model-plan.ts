/**
 * What a file's decoder is made of, by its head: sizes, and which tensor is which weight. Whatever of the file would not be
 * computed is refused here, before its weights are fetched.
 * @module
 */
import { shown, unsupported } from './file/file-problems.js';
import { type Architecture, ARCHITECTURES } from './architectures.js';
import type { ForwardShape } from './forward.js';
import type { GgufHeader, GgufTensor, GgufValue } from './file/header.js';
import { columnsOfBlock, packedKindOf } from './packed-kinds.js';
import type { RopeScaling } from './rope.js';

/** The tensors of a layer, by their part in {@link import('./model-weights.js').Layer}. */
export interface LayerPlan {
  attentionNorm: GgufTensor;
  query: GgufTensor;
  key: GgufTensor;
  value: GgufTensor;
  output: GgufTensor;
  queryBias: GgufTensor | undefined;
  keyBias: GgufTensor | undefined;
  valueBias: GgufTensor | undefined;
  outputBias: GgufTensor | undefined;
  queryNorm: GgufTensor | undefined;
  keyNorm: GgufTensor | undefined;
  feedForwardNorm: GgufTensor;
  gate: GgufTensor;
  up: GgufTensor;
  down: GgufTensor;
}

export interface ModelPlan {
  architecture: string;
  /** Without what the entry decides. */
  shape: Omit<ForwardShape, 'contextLength' | 'exact' | 'precision'>;
  /** Positions that the model was trained for. */
  contextLength: number;
  embedding: GgufTensor;
  /** The embedding where the file has no tensor of its own for it. */
  head: GgufTensor;
  outputNorm: GgufTensor;
  /** Divisors of RoPE's frequencies. */
  ropeFactors: GgufTensor | undefined;
  layers: readonly LayerPlan[];
}

/** Sizes that heads and rows must be multiples of. */
const [HEAD_STEP, ROW_STEP] = [8, 32];

/** @throws InferenceError `model_not_supported`, permanent; its message names the file and what is wrong */
export function planModel(header: GgufHeader): ModelPlan {
  const { file } = header;
  const keys = new ModelKeys(header);
  const { name, architecture } = keys;
  const width = keys.size('embedding_length');
  const layers = keys.size('block_count');
  const feedForward = keys.size('feed_forward_length');
  const heads = keys.size('attention.head_count');
  const kvHeads = keys.size('attention.head_count_kv', heads);
  const headSize = keys.size('attention.key_length', width / heads);
  const turned = keys.size('rope.dimension_count', headSize);
  const check = (isRight: boolean, why: string): void => {
    if (!isRight) throw unsupported(file, why);
  };
  check(keys.size('attention.value_length', headSize) === headSize, 'its keys and values have different sizes');
  check(heads % kvHeads === 0, `${heads} heads of queries cannot share ${kvHeads} heads of keys`);
  check(headSize % HEAD_STEP === 0, `its heads have ${headSize} numbers, which is no multiple of ${HEAD_STEP}`);
  check(turned % HEAD_STEP === 0 && turned <= headSize, `RoPE of ${turned} numbers of ${headSize}`);
  const multiple = [width, feedForward, heads * headSize].every((size) => size % ROW_STEP === 0);
  check(multiple, `its rows are no multiples of ${ROW_STEP} numbers`);
  check(keys.size('expert_count', 0, 0) === 0, 'mixtures of experts are not supported');

  const tensors = new Tensors(header);
  const embedding = tensors.table('token_embd.weight', width);
  const vocabulary = embedding.shape[1]!;
  const head = tensors.matrixIfThere('output.weight', width, vocabulary) ?? embedding;
  const plan: ModelPlan = {
    architecture: name,
    shape: {
      layers,
      width,
      heads,
      kvHeads,
      headSize,
      feedForward,
      vocabulary,
      epsilon: keys.number('attention.layer_norm_rms_epsilon'),
      pairs: architecture.rope,
      rope: { size: turned, base: keys.number('rope.freq_base', 10_000), scaling: ropeScaling(keys, file) },
    },
    contextLength: keys.size('context_length'),
    embedding,
    head,
    outputNorm: tensors.vector('output_norm.weight', width),
    ropeFactors: tensors.vectorIfThere('rope_freqs.weight', turned / 2),
    layers: Array.from({ length: layers }, (_, layer) => {
      const of = (part: string): string => `blk.${layer}.${part}`;
      const [all, shared] = [heads * headSize, kvHeads * headSize];
      const bias = (part: Architecture['biases'][number], size: number): GgufTensor | undefined =>
        architecture.biases.includes(part) ? tensors.vectorIfThere(of(`${part}.bias`), size) : undefined;
      const headNorm = (part: string): GgufTensor | undefined =>
        architecture.headNorms ? tensors.vector(of(`${part}.weight`), headSize) : undefined;
      return {
        attentionNorm: tensors.vector(of('attn_norm.weight'), width),
        query: tensors.matrix(of('attn_q.weight'), width, all),
        key: tensors.matrix(of('attn_k.weight'), width, shared),
        value: tensors.matrix(of('attn_v.weight'), width, shared),
        output: tensors.matrix(of('attn_output.weight'), all, width),
        queryBias: bias('attn_q', all),
        keyBias: bias('attn_k', shared),
        valueBias: bias('attn_v', shared),
        outputBias: bias('attn_output', width),
        queryNorm: headNorm('attn_q_norm'),
        keyNorm: headNorm('attn_k_norm'),
        feedForwardNorm: tensors.vector(of('ffn_norm.weight'), width),
        gate: tensors.matrix(of('ffn_gate.weight'), width, feedForward),
        up: tensors.matrix(of('ffn_up.weight'), width, feedForward),
        down: tensors.matrix(of('ffn_down.weight'), feedForward, width),
      };
    }),
  };
  tensors.refuseOthers();
  return plan;
}

function ropeScaling(keys: ModelKeys, file: string): RopeScaling {
  const type = keys.text('rope.scaling.type') ?? 'none';
  if (type === 'none') return { type };
  const factor = keys.number('rope.scaling.factor', 1);
  if (type === 'linear') return { type, factor };
  if (type === 'yarn') {
    return {
      type,
      factor,
      originalContext: keys.size('rope.scaling.original_context_length', keys.size('context_length')),
      attentionFactor: keys.number('rope.scaling.attn_factor', 1),
      betaFast: keys.number('rope.scaling.yarn_beta_fast', 32),
      betaSlow: keys.number('rope.scaling.yarn_beta_slow', 1),
    };
  }
  throw unsupported(file, `its RoPE is scaled by \`${shown(type)}\`, which is not supported`);
}

/** Values of the metadata that begin with the architecture's name. */
class ModelKeys {
  readonly name: string;
  readonly architecture: Architecture;
  readonly #file: string;
  readonly #metadata: ReadonlyMap<string, GgufValue>;

  constructor({ file, metadata }: GgufHeader) {
    this.#file = file;
    this.#metadata = metadata;
    const name = metadata.get('general.architecture');
    if (typeof name !== 'string') throw unsupported(file, 'it does not name its architecture');
    const architecture = Object.hasOwn(ARCHITECTURES, name) ? ARCHITECTURES[name] : undefined;
    if (!architecture) {
      const all = Object.keys(ARCHITECTURES).map((each) => `\`${each}\``);
      throw unsupported(file, `its architecture \`${shown(name)}\` is not supported; supported are ${all.join(', ')}`);
    }
    this.name = name;
    this.architecture = architecture;
  }

  text(key: string): string | undefined {
    const value = this.#metadata.get(`${this.name}.${key}`);
    return typeof value === 'string' ? value : undefined;
  }

  number(key: string, otherwise?: number): number {
    const value = this.#metadata.get(`${this.name}.${key}`);
    // Some files have a number for each layer.
    const number = typeof value === 'object' && new Set(value).size === 1 ? value[0] : value;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    if (value === undefined && otherwise !== undefined) return otherwise;
    const why = value === undefined ? 'is missing' : 'is not one number';
    throw unsupported(this.#file, `its metadata \`${this.name}.${key}\` ${why}`);
  }

  /** A whole number. */
  size(key: string, otherwise?: number, least = 1): number {
    const size = this.number(key, otherwise);
    if (!Number.isInteger(size) || size < least || size > 2 ** 31)
      throw unsupported(this.#file, `its metadata \`${this.name}.${key}\` is ${size}`);
    return size;
  }
}

/** The tensors of a file, each of which must be asked for. */
class Tensors {
  readonly #file: string;
  readonly #left: Map<string, GgufTensor>;

  constructor({ file, tensors }: GgufHeader) {
    this.#file = file;
    this.#left = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  }

  /** A matrix with any number of rows. */
  table(name: string, columns: number): GgufTensor {
    const rows = this.#left.get(name)?.shape[1] ?? 1;
    return this.matrix(name, columns, rows);
  }

  matrix(name: string, columns: number, rows: number): GgufTensor {
    const tensor = this.#take(name, [columns, rows]);
    const kind = packedKindOf(tensor.kind);
    if (kind === undefined)
      throw unsupported(this.#file, `its tensor \`${name}\` is of kind ${tensor.kind}, which is not supported`);
    const block = columnsOfBlock(kind);
    if (columns % block !== 0)
      throw unsupported(this.#file, `the rows of its tensor \`${name}\` are no multiples of ${block} numbers`);
    return tensor;
  }

  matrixIfThere(name: string, columns: number, rows: number): GgufTensor | undefined {
    return this.#left.has(name) ? this.matrix(name, columns, rows) : undefined;
  }

  vector(name: string, size: number): GgufTensor {
    const tensor = this.#take(name, [size]);
    if (tensor.kind !== 'F32')
      throw unsupported(this.#file, `its tensor \`${name}\` is of kind ${tensor.kind}, where only F32 is supported`);
    return tensor;
  }

  vectorIfThere(name: string, size: number): GgufTensor | undefined {
    return this.#left.has(name) ? this.vector(name, size) : undefined;
  }

  refuseOthers(): void {
    for (const name of this.#left.keys())
      throw unsupported(this.#file, `it has the tensor \`${shown(name)}\`, which this architecture does not use`);
  }

  #take(name: string, sizes: readonly number[]): GgufTensor {
    const tensor = this.#left.get(name);
    if (!tensor) throw unsupported(this.#file, `it has no tensor \`${name}\``);
    this.#left.delete(name);
    const { shape } = tensor;
    // Dimensions of 1 at the end say nothing.
    const isRight =
      sizes.every((size, index) => (shape[index] ?? 1) === size) &&
      shape.slice(sizes.length).every((size) => size === 1);
    if (!isRight)
      throw unsupported(
        this.#file,
        `its tensor \`${shown(name)}\` has the shape ${shape.join(' × ')}, which does not fit the model`,
      );
    return tensor;
  }
}
