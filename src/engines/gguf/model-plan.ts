/**
 * What a file's decoder is made of, by its head: sizes, and which tensor is which weight. Whatever of the file would not be
 * computed is refused here, before its weights are fetched.
 * @module
 */
import { type Architecture, ARCHITECTURES, type BiasName } from './architectures.js';
import { shown, unsupported } from './file/file-problems.js';
import type { ForwardShape, LayerShape } from './forward-shape.js';
import type { GgufHeader, GgufTensor } from './file/header.js';
import { ModelKeys } from './model-keys.js';
import { type MatrixPlan, ModelTensors } from './model-tensors.js';
import type { LayerMatrices, LayerVectors } from './model-weights.js';
import type { RopeShape } from './rope.js';

/** The tensors of a layer. */
interface LayerPlan {
  matrices: LayerMatrices<MatrixPlan>;
  vectors: LayerVectors<GgufTensor>;
}

export interface ModelPlan {
  architecture: string;
  /** Without what the entry decides. */
  shape: Omit<ForwardShape, 'exact' | 'precision'>;
  embedding: MatrixPlan;
  /** The embedding where the file has no tensor of its own for it. */
  head: MatrixPlan;
  outputNorm: GgufTensor;
  /** Divisors of RoPE's frequencies. */
  ropeFactors: GgufTensor | undefined;
  layers: readonly LayerPlan[];
}

/** Sizes that heads and rows must be multiples of. */
const [HEAD_STEP, ROW_STEP] = [8, 32];

/**
 * @param contextLength positions that are wanted at most; by default as many as the model was trained for
 * @throws InferenceError `model_not_supported`, permanent; its message names the file and what is wrong
 */
export function planModel(header: GgufHeader, contextLength = Infinity): ModelPlan {
  const keys = new ModelKeys(header, ARCHITECTURES);
  const { architecture } = keys;
  const shape = readShape(keys, header, contextLength);
  const { width } = shape;
  const tensors = new ModelTensors(header);
  const embedding = tensors.table('token_embd.weight', width);
  const vocabulary = embedding.rows;
  const plan: ModelPlan = {
    architecture: keys.name,
    embedding,
    head: tensors.matrixIfThere('output.weight', width, vocabulary) ?? embedding,
    outputNorm: tensors.vector('output_norm.weight', width),
    ropeFactors: ropeFactors(tensors, shape, originalContext(keys)),
    layers: shape.layerShapes.map((_, layer) => planLayer(tensors, architecture, shape, layer)),
    shape: { ...shape, vocabulary },
  };
  tensors.refuseOthers();
  keys.refuseOthers();
  return plan;
}

type PlainShape = Omit<ModelPlan['shape'], 'vocabulary'>;

function readShape(keys: ModelKeys, { file, tensors }: GgufHeader, contextLength: number): PlainShape {
  const { architecture } = keys;
  const width = keys.size('embedding_length');
  const layers = keys.layers(tensors.length);
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
  check(headSize % HEAD_STEP === 0, `its heads have ${headSize} numbers, which is not a multiple of ${HEAD_STEP}`);
  check(turned % HEAD_STEP === 0 && turned <= headSize, `RoPE of ${turned} numbers of ${headSize}`);
  const multiple = [width, feedForward, heads * headSize].every((size) => size % ROW_STEP === 0);
  check(multiple, `its rows are no multiples of ${ROW_STEP} numbers`);
  check(keys.size('expert_count', 0, 0) === 0, 'mixtures of experts are not supported');
  check(keys.flag('attention.causal', true), 'its attention is not causal');
  const { caps } = architecture;
  const scaled = architecture.layersWithWideScale === layers ? width / heads : headSize;
  const rope = readRope(keys, file, turned);
  return {
    layers,
    width,
    heads,
    kvHeads,
    headSize,
    feedForward,
    epsilon: keys.epsilon('attention.layer_norm_rms_epsilon'),
    activation: architecture.activation,
    pairs: architecture.rope,
    queryKeyNorm: architecture.queryKeyNorm,
    ...readScales(keys, { width, scaled }),
    attentionCap: caps?.attention === undefined ? 0 : keys.number('attn_logit_softcapping', caps.attention),
    logitCap: caps ? keys.number('final_logit_softcapping', caps.logits) : 0,
    rope,
    ...readWindows(keys, layers, rope),
    contextLength: Math.min(contextLength, keys.size('context_length')),
  };
}

function readScales(
  keys: ModelKeys,
  { width, scaled }: { width: number; scaled: number },
): Pick<PlainShape, 'embeddingScale' | 'residualScale' | 'attentionScale' | 'logitScale'> {
  const attentionScale = scaled ** -0.5;
  const { scalesEmbedding, hasScales } = keys.architecture;
  if (!hasScales)
    return { embeddingScale: scalesEmbedding ? Math.sqrt(width) : 1, residualScale: 1, attentionScale, logitScale: 1 };
  return {
    embeddingScale: keys.factor('embedding_scale'),
    residualScale: keys.factor('residual_scale'),
    attentionScale: keys.factor('attention.scale', attentionScale),
    logitScale: 1 / keys.factor('logit_scale'),
  };
}

/** Which layers see how far, and how they are rotated. */
function readWindows(
  keys: ModelKeys,
  layers: number,
  rope: RopeShape,
): { layerShapes: LayerShape[]; windowRope: RopeShape | undefined } {
  const { window, unrotatedEvery = 0, hasScales } = keys.architecture;
  const isLastOf = (layer: number, every: number): boolean => every > 0 && layer % every === every - 1;
  // Where scales are in the file, this key says whether there is RoPE.
  const isRotated = !hasScales || keys.flag('rope.scaling.finetuned', true);
  const size = window ? keys.size('attention.sliding_window', window.size, 0) : 0;
  if (!window || size === 0) {
    const plain = (layer: number): LayerShape => ({
      window: 0,
      rope: isRotated && !isLastOf(layer, unrotatedEvery) ? 'usual' : 'none',
    });
    return { layerShapes: Array.from({ length: layers }, (_, layer) => plain(layer)), windowRope: undefined };
  }
  const every = keys.size('attention.sliding_window_pattern', window.every);
  const base = keys.positive('rope.freq_base_swa', typeof window.rope === 'object' ? window.rope.base : rope.base);
  const plainRope: RopeShape = { size: rope.size, base, factor: 1, magnitude: 1 };
  return {
    layerShapes: Array.from({ length: layers }, (_, layer) =>
      isLastOf(layer, every) ? { window: 0, rope: 'usual' } : { window: size, rope: 'window' },
    ),
    windowRope: window.rope === 'same' ? { ...rope, base } : plainRope,
  };
}

const SCALINGS = ['none', 'linear', 'yarn', 'longrope'] as const;

function originalContext(keys: ModelKeys): number {
  return keys.size('rope.scaling.original_context_length', keys.size('context_length'));
}

function readRope(keys: ModelKeys, file: string, size: number): RopeShape {
  const named = keys.text('rope.scaling.type') ?? 'linear';
  const type = SCALINGS.find((each) => each === named);
  if (!type) throw unsupported(file, `its RoPE is scaled by \`${shown(named)}\`, which is not supported`);
  const factor = keys.factor('rope.scaling.factor', keys.factor('rope.scale_linear'));
  const yarn = {
    originalContext: originalContext(keys),
    betaFast: keys.number('rope.scaling.yarn_beta_fast', 32),
    betaSlow: keys.number('rope.scaling.yarn_beta_slow', 1),
  };
  return {
    size,
    base: keys.positive('rope.freq_base', 10_000),
    factor: type === 'none' ? 1 : factor,
    magnitude: keys.factor('rope.scaling.attn_factor'),
    ...(type === 'yarn' && { yarn }),
  };
}

/** Those of a file with two of them depend on the length that is wanted, not on that of a prompt. */
function ropeFactors(
  tensors: ModelTensors,
  { rope, contextLength }: PlainShape,
  original: number,
): GgufTensor | undefined {
  const [long, short, all] = ['rope_factors_long', 'rope_factors_short', 'rope_freqs'].map((name) =>
    tensors.vectorIfThere(`${name}.weight`, rope.size / 2),
  );
  return all ?? (contextLength > original ? long : short);
}

function planLayer(
  tensors: ModelTensors,
  architecture: Architecture,
  { width, heads, kvHeads, headSize, feedForward }: PlainShape,
  layer: number,
): LayerPlan {
  const of = (part: string): string => `blk.${layer}.${part}`;
  const weight = (part: string): string => of(`${part}.weight`);
  const [all, shared] = [heads * headSize, kvHeads * headSize];
  const { norms, queryKeyNorm, biases, isFused } = architecture;
  const norm = (part: string, isThere: boolean, size = width): GgufTensor | undefined =>
    isThere ? tensors.vector(weight(part), size) : undefined;
  const bias = (part: BiasName, size: number): GgufTensor | undefined =>
    biases.includes(part) ? tensors.vectorIfThere(of(`${part}.bias`), size) : undefined;
  const rows = (fused: string, parts: readonly [string, number][]): MatrixPlan[] =>
    isFused && tensors.has(weight(fused))
      ? tensors.slices(
          weight(fused),
          width,
          parts.map(([, size]) => size),
        )
      : parts.map(([part, size]) => tensors.matrix(weight(part), width, size));
  const [query, key, value] = rows('attn_qkv', [
    ['attn_q', all],
    ['attn_k', shared],
    ['attn_v', shared],
  ]);
  const [gate, up] = rows('ffn_up', [
    ['ffn_gate', feedForward],
    ['ffn_up', feedForward],
  ]);
  return {
    matrices: {
      query: query!,
      key: key!,
      value: value!,
      output: tensors.matrix(weight('attn_output'), all, width),
      gate: gate!,
      up: up!,
      down: tensors.matrix(weight('ffn_down'), feedForward, width),
    },
    vectors: {
      attentionNorm: norm('attn_norm', norms !== 'behind'),
      attentionPostNorm: norm('post_attention_norm', norms !== 'before'),
      queryBias: bias('attn_q', all),
      keyBias: bias('attn_k', shared),
      valueBias: bias('attn_v', shared),
      outputBias: bias('attn_output', width),
      queryNorm: norm('attn_q_norm', queryKeyNorm !== undefined, queryKeyNorm === 'row' ? all : headSize),
      keyNorm: norm('attn_k_norm', queryKeyNorm !== undefined, queryKeyNorm === 'row' ? shared : headSize),
      feedForwardNorm: norm('ffn_norm', norms !== 'behind'),
      feedForwardPostNorm: norm('post_ffw_norm', norms !== 'before'),
      gateBias: bias('ffn_gate', feedForward),
      upBias: bias('ffn_up', feedForward),
      downBias: bias('ffn_down', width),
    },
  };
}
