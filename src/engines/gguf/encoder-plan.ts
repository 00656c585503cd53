/**
 * What a file's encoder is made of, by its head. Whatever of the file would not be computed is refused here, before its weights
 * are fetched.
 * @module
 */
import { type EncoderTraits, ENCODERS } from './encoder-architectures.js';
import { shown, unsupported } from './file/file-problems.js';
import type { GgufHeader, GgufTensor } from './file/header.js';
import type { EncoderParts, EncoderShape, NormParts, ScoreParts } from './encoder-parts.js';
import type { ExpertsShape } from './forward-shape.js';
import type { WantedTensors } from './load-tensors.js';
import { ModelKeys } from './model-keys.js';
import type { MatrixPlan, ModelTensors } from './model-tensors.js';
import { EncoderTensors, planEncoderLayer } from './plan-encoder-layer.js';

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
  const shape = readShape(keys, header);
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
    layers: Array.from({ length: shape.layers }, (_, layer) => planEncoderLayer(tensors, shape, layer)),
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

function readShape(keys: EncoderKeys, { tensors }: GgufHeader): EncoderShape {
  const traits = keys.architecture;
  const width = keys.size('embedding_length');
  const layers = keys.layers(tensors.length);
  const heads = keys.size('attention.head_count');
  const kvHeads = keys.size('attention.head_count_kv', heads);
  const headSize = keys.size('attention.key_length', width / heads);
  const feedForward = keys.size('feed_forward_length');
  if (keys.size('attention.value_length', headSize) !== headSize)
    keys.refuse('attention.value_length', 'says that its keys and values have different sizes');
  if (heads % kvHeads !== 0)
    keys.refuse('attention.head_count_kv', `is ${kvHeads}, which ${heads} heads of queries cannot share`);
  if (headSize % HEAD_STEP !== 0) keys.refuse('attention.key_length', `is not a multiple of ${HEAD_STEP}`);
  const rows = { embedding_length: width, 'attention.head_count': heads * headSize, feed_forward_length: feedForward };
  for (const [key, size] of Object.entries(rows))
    if (size % ROW_STEP !== 0) keys.refuse(key, `makes rows that are no multiples of ${ROW_STEP} numbers`);
  if (keys.flag('attention.causal', false)) keys.refuse('attention.causal', 'is true');
  return {
    layers,
    width,
    heads,
    kvHeads,
    headSize,
    feedForward,
    epsilon: keys.epsilon(`attention.layer_norm_${traits.norm === 'rms' ? 'rms_' : ''}epsilon`),
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
  const base = keys.positive('rope.freq_base', 10_000);
  return { base, windowBase: keys.architecture.window ? keys.positive('rope.freq_base_swa', 10_000) : base };
}

function readReach(keys: EncoderKeys, layers: number): number[] {
  const { window } = keys.architecture;
  const size = window ? keys.size('attention.sliding_window', 0, 0) : 0;
  if (!window) return Array<number>(layers).fill(0);
  const last = (every: number): number => (window.all === 'first' ? 0 : every - 1);
  const isNear = keys.pattern('attention.sliding_window_pattern', layers, window.every, last);
  return isNear.map((near) => (near ? Math.floor(size / 2) : 0));
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
