/**
 * What a file's encoder is made of, by its head. Whatever of the file would not be computed is refused here, before its weights
 * are fetched.
 * @module
 */
import { type EncoderTraits, ENCODERS } from './architectures.js';
import { shown, unsupported } from './file/file-problems.js';
import type { GgufHeader, GgufTensor } from './file/header.js';
import type { ExpertsShape } from './forward-shape.js';
import type { WantedTensors } from './load-tensors.js';
import { ModelKeys } from './model-keys.js';
import { type MatrixPlan, ModelTensors } from './model-tensors.js';
import type { LayerExperts } from './model-weights.js';

export interface EncoderShape {
  layers: number;
  /** Numbers of a token between layers. */
  width: number;
  heads: number;
  kvHeads: number;
  headSize: number;
  /** Numbers inside a feed-forward layer. */
  feedForward: number;
  /** Of the norms. */
  epsilon: number;
  /** Tokens of a text. */
  contextLength: number;
  traits: EncoderTraits;
  /** Bases of RoPE, of layers that see all and of the others. */
  rope: { base: number; windowBase: number };
  /** By layer: tokens to each side that one sees; 0: all. */
  reach: readonly number[];
  activation: EncoderTraits['activation'];
  experts: ExpertsShape | undefined;
}

/** The weights of an encoder. */
export interface EncoderParts<Matrix, Vector> {
  /** A row for each token, position and kind of text. */
  tokens: Matrix;
  positions: Matrix | undefined;
  types: Matrix | undefined;
  norm: NormParts<Vector> | undefined;
  layers: readonly EncoderLayer<Matrix, Vector>[];
  outputNorm: NormParts<Vector> | undefined;
  /** What a pooled vector is multiplied by, one after the other. */
  dense: readonly Matrix[];
  /** What makes a score of a text's tokens. */
  score: ScoreParts<Matrix, Vector> | undefined;
}

export interface NormParts<Vector> {
  weight: Vector;
  bias: Vector | undefined;
}

/** A matrix and what is added to its products. */
export interface Projection<Matrix, Vector> {
  weight: Matrix;
  bias: Vector | undefined;
}

/** Of norms each architecture has some. */
export interface EncoderNorms<Vector> {
  attentionNorm: NormParts<Vector> | undefined;
  attentionPostNorm: NormParts<Vector> | undefined;
  /** Of what is already normed, with the layer's input once more. */
  secondNorm: NormParts<Vector> | undefined;
  queryNorm: NormParts<Vector> | undefined;
  keyNorm: NormParts<Vector> | undefined;
  feedForwardNorm: NormParts<Vector> | undefined;
  feedForwardPostNorm: NormParts<Vector> | undefined;
}

export interface EncoderLayer<Matrix, Vector> {
  query: Projection<Matrix, Vector>;
  key: Projection<Matrix, Vector>;
  value: Projection<Matrix, Vector>;
  output: Projection<Matrix, Vector>;
  norms: EncoderNorms<Vector>;
  /** Undefined: the layer has experts. */
  up: Projection<Matrix, Vector> | undefined;
  gate: Projection<Matrix, Vector> | undefined;
  down: Projection<Matrix, Vector> | undefined;
  router: Matrix | undefined;
  experts: LayerExperts<Matrix> | undefined;
}

export interface ScoreParts<Matrix, Vector> {
  /** Before the score. */
  dense: Projection<Matrix, Vector> | undefined;
  norm: NormParts<Vector> | undefined;
  output: Projection<Matrix, Vector>;
}

export interface EncoderPlan {
  architecture: string;
  shape: EncoderShape;
  parts: EncoderParts<MatrixPlan, GgufTensor>;
  /** Tokens that there are. */
  vocabulary: number;
}

/** Rows of matrices are multiples of it, heads of the other. */
const [ROW_STEP, HEAD_STEP] = [32, 8];

/**
 * @param isScored the model gives scores of pairs of texts
 * @throws InferenceError `model_not_supported`, permanent; its message names the file and what is wrong
 */
export function planEncoder(
  header: GgufHeader,
  { contextLength = Infinity, isScored }: { contextLength?: number | undefined; isScored: boolean },
): EncoderPlan {
  const { file } = header;
  const keys = new ModelKeys(header, ENCODERS);
  const shape = readShape(keys, file);
  const { width, traits } = shape;
  const tensors = new EncoderTensors(header, traits);
  const { all } = tensors;
  const tokens = all.table('token_embd.weight', width);
  const positions = traits.positions === 'table' ? all.table('position_embd.weight', width) : undefined;
  const hasTypes = traits.norms === 'behind' && all.has('token_types.weight');
  const parts: EncoderPlan['parts'] = {
    tokens,
    positions,
    types: hasTypes ? all.table('token_types.weight', width) : undefined,
    norm: traits.normsEmbedding ? tensors.norm('token_embd_norm', width) : undefined,
    layers: Array.from({ length: shape.layers }, (_, layer) => planLayer(tensors, shape, layer)),
    outputNorm: traits.norms === 'behind' ? undefined : tensors.norm('output_norm', width),
    dense: traits.hasDense && !isScored ? planDense(keys, all, width) : [],
    score: isScored ? planScore(tensors, shape, file) : undefined,
  };
  all.refuseOthers();
  keys.refuseOthers();
  const most = Math.min(contextLength, shape.contextLength, positions?.rows ?? Infinity);
  return { architecture: keys.name, shape: { ...shape, contextLength: most }, parts, vocabulary: tokens.rows };
}

type EncoderKeys = ModelKeys<EncoderTraits>;

/** Finds tensors as they are called in encoders. */
class EncoderTensors {
  readonly all: ModelTensors;
  readonly #traits: EncoderTraits;

  constructor(header: GgufHeader, traits: EncoderTraits) {
    this.all = new ModelTensors(header);
    this.#traits = traits;
  }

  projection(name: string, columns: number, rows: number): Projection<MatrixPlan, GgufTensor> {
    return {
      weight: this.all.matrix(`${name}.weight`, columns, rows),
      bias: this.all.vectorIfThere(`${name}.bias`, rows),
    };
  }

  /** Several in one tensor. */
  projections(name: string, columns: number, sizes: readonly number[]): Projection<MatrixPlan, GgufTensor>[] {
    const weights = this.all.slices(`${name}.weight`, columns, sizes);
    const biases = this.all.has(`${name}.bias`) ? this.all.parts(`${name}.bias`, sizes) : [];
    return weights.map((weight, index) => ({ weight, bias: biases[index] }));
  }

  /** Norms around the mean have a bias where rows are normed behind. */
  norm(name: string, size: number): NormParts<GgufTensor> {
    const weight = this.all.vector(`${name}.weight`, size);
    const { norm, norms } = this.#traits;
    const hasBias = norm === 'layer' && norms === 'behind';
    return { weight, bias: hasBias ? this.all.vector(`${name}.bias`, size) : undefined };
  }
}

function readShape(keys: EncoderKeys, file: string): EncoderShape {
  const traits = keys.architecture;
  const width = keys.size('embedding_length');
  const layers = keys.size('block_count');
  const heads = keys.size('attention.head_count');
  const kvHeads = keys.size('attention.head_count_kv', heads);
  const headSize = keys.size('attention.key_length', width / heads);
  const feedForward = keys.size('feed_forward_length');
  const check = (isRight: boolean, why: string): void => {
    if (!isRight) throw unsupported(file, why);
  };
  check(keys.size('attention.value_length', headSize) === headSize, 'its keys and values have different sizes');
  check(heads % kvHeads === 0, `${heads} heads of queries cannot share ${kvHeads} heads of keys`);
  check(headSize % HEAD_STEP === 0, `its heads have ${headSize} numbers`);
  const isMultiple = [width, heads * headSize, feedForward].every((size) => size % ROW_STEP === 0);
  check(isMultiple, `its rows are no multiples of ${ROW_STEP} numbers`);
  check(!keys.flag('attention.causal', false), 'its attention is causal');
  return {
    layers,
    width,
    heads,
    kvHeads,
    headSize,
    feedForward,
    epsilon: keys.number(`attention.layer_norm_${traits.norm === 'rms' ? 'rms_' : ''}epsilon`),
    contextLength: keys.size('context_length'),
    traits,
    rope: readRope(keys, headSize),
    reach: readReach(keys, layers),
    activation: readActivation(keys),
    experts: readExperts(keys, layers, feedForward),
  };
}

function readRope(keys: EncoderKeys, headSize: number): EncoderShape['rope'] {
  if (keys.architecture.positions !== 'rope') return { base: 0, windowBase: 0 };
  if (keys.size('rope.dimension_count', headSize) !== headSize)
    keys.refuse('rope.dimension_count', 'is not that of a head');
  const scaling = keys.text('rope.scaling.type') ?? 'none';
  if (scaling !== 'none')
    keys.refuse('rope.scaling.type', `is \`${shown(scaling)}\`, which is not supported for encoders`);
  const base = keys.number('rope.freq_base', 10_000);
  return { base, windowBase: keys.architecture.window ? keys.number('rope.freq_base_swa', 10_000) : base };
}

function readReach(keys: EncoderKeys, layers: number): number[] {
  const { window } = keys.architecture;
  const size = window ? keys.size('attention.sliding_window', 0, 0) : 0;
  const every = window ? keys.size('attention.sliding_window_pattern', window.every) : 1;
  const seesAll = (layer: number): boolean => layer % every === (window?.all === 'first' ? 0 : every - 1);
  return Array.from({ length: layers }, (_, layer) => (size === 0 || seesAll(layer) ? 0 : Math.floor(size / 2)));
}

function readActivation(keys: EncoderKeys): EncoderTraits['activation'] {
  const { activation, isUpFused } = keys.architecture;
  const named = isUpFused ? (keys.text('hidden_activation') ?? 'gelu') : 'gelu';
  if (named !== 'gelu' && named !== 'silu') keys.refuse('hidden_activation', `is \`${shown(named)}\``);
  return named === 'silu' ? 'silu-gated' : activation;
}

function readExperts(keys: EncoderKeys, layers: number, feedForward: number): ExpertsShape | undefined {
  if (!keys.architecture.hasExperts) return undefined;
  const count = keys.size('expert_count');
  const used = keys.size('expert_used_count');
  if (used > count) keys.refuse('expert_used_count', `is more than its ${count} experts`);
  const gating = keys.size('expert_gating_func', 1, 0);
  if (gating > 1) keys.refuse('expert_gating_func', `is ${gating}`);
  if (keys.size('expert_group_count', 0, 0) > 1) keys.refuse('expert_group_count', 'groups its experts');
  const every = keys.size('moe_every_n_layers', 0, 0);
  if (every !== 2) keys.refuse('moe_every_n_layers', `is ${every}`);
  return {
    count,
    used: Array<number>(layers).fill(used),
    feedForward,
    sharedFeedForward: 0,
    gating: 'softmax',
    isNormed: false,
  };
}

type PlannedLayer = EncoderLayer<MatrixPlan, GgufTensor>;

function planLayer(tensors: EncoderTensors, shape: EncoderShape, layer: number): PlannedLayer {
  const { width, heads, kvHeads, headSize, traits } = shape;
  const of = (part: string): string => `blk.${layer}.${part}`;
  const [all, shared] = [heads * headSize, kvHeads * headSize];
  const [query, key, value] = tensors.all.has(of('attn_qkv.weight'))
    ? tensors.projections(of('attn_qkv'), width, [all, shared, shared])
    : [
        tensors.projection(of('attn_q'), width, all),
        tensors.projection(of('attn_k'), width, shared),
        tensors.projection(of('attn_v'), width, shared),
      ];
  return {
    query: query!,
    key: key!,
    value: value!,
    output: tensors.projection(of('attn_output'), all, width),
    norms: planNorms(tensors, shape, layer),
    ...(traits.hasExperts && layer % 2 === 1 ? planExperts(tensors, shape, of) : planFeedForward(tensors, shape, of)),
  };
}

function planNorms(
  tensors: EncoderTensors,
  { width, heads, kvHeads, headSize, traits }: EncoderShape,
  layer: number,
): EncoderNorms<GgufTensor> {
  const of = (part: string): string => `blk.${layer}.${part}`;
  const norm = (part: string, isThere: boolean, size = width): NormParts<GgufTensor> | undefined =>
    isThere ? tensors.norm(of(part), size) : undefined;
  const isBefore = traits.norms !== 'behind';
  const hasRows = traits.normsRows === true && tensors.all.has(of('attn_q_norm.weight'));
  const hasHeads = traits.normsHeads === true;
  const hasSecond = traits.normsRows === true && tensors.all.has(of('attn_norm_2.weight'));
  const isFirst = layer === 0 && traits.lacksFirstNorm === true;
  return {
    attentionNorm: norm('attn_norm', isBefore && !isFirst),
    attentionPostNorm: norm(isBefore ? 'post_attention_norm' : 'attn_output_norm', traits.norms !== 'before'),
    secondNorm: norm('attn_norm_2', hasSecond),
    queryNorm: norm('attn_q_norm', hasRows || hasHeads, hasRows ? heads * headSize : headSize),
    keyNorm: norm('attn_k_norm', hasRows || hasHeads, hasRows ? kvHeads * headSize : headSize),
    feedForwardNorm: norm('ffn_norm', isBefore),
    feedForwardPostNorm: norm(isBefore ? 'post_ffw_norm' : 'layer_output_norm', traits.norms !== 'before'),
  };
}

function planFeedForward(
  tensors: EncoderTensors,
  { width, feedForward, activation, traits }: EncoderShape,
  of: (part: string) => string,
): Pick<PlannedLayer, 'up' | 'gate' | 'down' | 'router' | 'experts'> {
  const rest = { down: tensors.projection(of('ffn_down'), feedForward, width), router: undefined, experts: undefined };
  if (activation === 'gelu')
    return { up: tensors.projection(of('ffn_up'), width, feedForward), gate: undefined, ...rest };
  if (traits.isUpFused || !tensors.all.has(of('ffn_gate.weight'))) {
    const [gate, up] = tensors.projections(of('ffn_up'), width, [feedForward, feedForward]);
    return { gate, up: up!, ...rest };
  }
  const gate = tensors.projection(of('ffn_gate'), width, feedForward);
  return { gate, up: tensors.projection(of('ffn_up'), width, feedForward), ...rest };
}

function planExperts(
  tensors: EncoderTensors,
  { width, feedForward, experts }: EncoderShape,
  of: (part: string) => string,
): Pick<PlannedLayer, 'up' | 'gate' | 'down' | 'router' | 'experts'> {
  const { count } = experts!;
  const [up] = tensors.all.experts(of('ffn_up_exps.weight'), count, width, [feedForward]);
  const [down] = tensors.all.experts(of('ffn_down_exps.weight'), count, feedForward, [width]);
  const router = tensors.all.matrix(of('ffn_gate_inp.weight'), width, count);
  return { up: undefined, gate: undefined, down: undefined, router, experts: { gate: [], up: up!, down: down! } };
}

/** What is behind pooling. */
function planDense(keys: EncoderKeys, tensors: ModelTensors, width: number): MatrixPlan[] {
  if (!tensors.has('dense_2.weight')) return [];
  const first = tensors.table('dense_2.weight', width);
  const second = tensors.table('dense_3.weight', first.rows);
  const sizes = [keys.size('dense_2_feat_in', width), keys.size('dense_2_feat_out', first.rows)];
  const others = [keys.size('dense_3_feat_in', first.rows), keys.size('dense_3_feat_out', second.rows)];
  if ([...sizes, ...others].join() !== [width, first.rows, first.rows, second.rows].join())
    keys.refuse('dense_2_feat_in', 'does not fit the shape of `dense_2.weight` and `dense_3.weight`');
  return [first, second];
}

function planScore(
  tensors: EncoderTensors,
  { width, traits }: EncoderShape,
  file: string,
): ScoreParts<MatrixPlan, GgufTensor> {
  const { all } = tensors;
  if (!all.has('cls.output.weight'))
    throw unsupported(file, 'it has no tensor `cls.output.weight`, without which there are no scores');
  const weight = all.table('cls.output.weight', width);
  const dense = all.matrixIfThere('cls.weight', width, width);
  return {
    dense: dense && { weight: dense, bias: all.vectorIfThere('cls.bias', width) },
    norm: traits.isScoredByMean && all.has('cls.norm.weight') ? tensors.norm('cls.norm', width) : undefined,
    output: { weight, bias: all.vectorIfThere('cls.output.bias', weight.rows) },
  };
}

/** All of an encoder's tensors. */
export function encoderTensors(parts: EncoderPlan['parts']): WantedTensors {
  const { tokens, positions, types, norm, layers, outputNorm, dense, score } = parts;
  const projections = [
    ...layers.flatMap(({ query, key, value, output, up, gate, down }) => [query, key, value, output, up, gate, down]),
    score?.output,
    score?.dense,
  ].filter((projection) => projection !== undefined);
  const norms = [norm, outputNorm, score?.norm, ...layers.flatMap((layer) => Object.values(layer.norms))] as (
    | NormParts<GgufTensor>
    | undefined
  )[];
  const routed = layers.flatMap(({ router, experts }) => [
    router,
    ...(experts ? [...experts.up, ...experts.down] : []),
  ]);
  const matrices = [tokens, positions, types, ...dense, ...routed, ...projections.map(({ weight }) => weight)];
  const vectors = [...norms.flatMap((each) => [each?.weight, each?.bias]), ...projections.map(({ bias }) => bias)];
  return {
    matrices: matrices.filter((matrix) => matrix !== undefined),
    vectors: vectors.filter((vector) => vector !== undefined),
  };
}
