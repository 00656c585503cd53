/**
 * The architectures that run, as data: what each has beside the others. Whatever is not in this table is refused, never left
 * out.
 * @module
 */

/** What differs between decoders. A field that is absent means that the architecture has nothing of it. */
export interface Architecture {
  /** Which numbers of a head RoPE rotates with each other: those of its two halves, or neighbours. */
  rope: 'halves' | 'neighbours' | 'none';
  /** One layer in so many, the last one, has no RoPE. */
  unrotatedEvery?: number;
  /** Where attention and the feed-forward network of a layer are normalized: their input, their result, or both. */
  norms: 'before' | 'behind' | 'both';
  /** Queries and keys are normalized before RoPE: each head, or all heads of a row together. */
  queryKeyNorm?: 'head' | 'row';
  /** Biases that some files have. */
  biases: readonly BiasName[];
  /** They are normalized behind RoPE. */
  normsRotated?: true;
  /** What the gate of a feed-forward network is passed through, or without a gate what is inside. GELU is the one with tanh. */
  activation: Activation;
  /** One tensor has queries, keys and values, and one has gate and up. */
  isFused?: true;
  /** The result of the look-up of tokens is multiplied by the root of the width. */
  scalesEmbedding?: true;
  /** Reads the keys `embedding_scale`, `residual_scale`, `attention.scale`, `logit_scale` and `rope.scaling.finetuned`. */
  hasScales?: true;
  /** Models with so many layers divide scores by the root of width / heads, not of the size of a head. */
  layersWithWideScale?: number;
  /** Bounds of scores and logits where the file does not say them; 0: none. */
  caps?: { attention?: number; logits: number };
  /** Layers that see only the last tokens. */
  window?: WindowedLayers;
  /** Layers with a state in the place of keys and values. */
  recurrent?: RecurrentLayersOf;
  /** The query's matrix has for each head a gate, too, which opens what attention gives. */
  isQueryGated?: true;
  /** Tensors that are called otherwise than in llama. */
  names?: { outputNorm?: string; feedForwardNorm?: string };
  /** Further kinds of layers are the last ones: those that guess several tokens ahead, which do not run. */
  hasPredictor?: true;
  /** There must be `output.weight`. */
  isUntied?: true;
  /** Experts that some files have, or all. */
  experts?: ExpertTraits;
  /** The file says by which factor queries far behind grow. */
  hasTemperature?: true;
  /** Layers may be read several times. */
  isLooped?: true;
  /** Reads `rope.scaling.alpha`, which makes the base larger. */
  scalesBase?: true;
  /** A logit of each head that no position has. */
  hasSinks?: true;
  /** Per-layer inputs, shared keys and values, normed values. */
  isLayered?: true;
  /** What the scales are where the file has none. */
  scales?: (sizes: { width: number; layers: number }) => { embedding: number; residual: number; logit: number };
  /** Keys that the model was trained with and llama.cpp does not use either. */
  unused?: readonly string[];
}

export type Activation = 'silu' | 'gelu' | 'relu-squared' | 'xielu' | 'clipped';

/** Which layers are recurrent, and how. */
interface RecurrentLayersOf {
  kind: 'convolution' | 'delta' | 'scan';
  /**
   * By the heads of keys of a layer, of which they have none; all but one in so many; all, which have attention, too; or by
   * heads of keys and size of the feed-forward network, of which a layer has one at most.
   */
  where: 'without-keys' | 'interval' | 'all' | 'one-of-three';
  /** Heads of values that share one of keys are neighbours. */
  sharesKeys?: true;
}

/** How experts are chosen and weighed. */
interface ExpertTraits {
  /** Made of the router's logits: of all experts, of each, or of those that were chosen. */
  gating: 'softmax' | 'sigmoid' | 'chosen';
  /** The weights of those that were chosen are divided by their sum. */
  isNormed?: true;
  /** Size of an expert where the file does not say it: that of `feed_forward_length`, or its share of it. */
  size: 'whole' | 'share';
  /** An expert that all tokens take: where the file has one, and whether a gate opens it. */
  shared?: 'plain' | 'gated';
  /** The key of how many layers at the beginning have none. */
  dense?: string;
  /** Experts, router and their matrices have biases. */
  hasBiases?: true;
  /** Beside a feed-forward network that is not one of theirs, as in Gemma 4. */
  isBeside?: true;
  /** All files have them. */
  isRequired?: true;
}

export type BiasName = 'attn_q' | 'attn_k' | 'attn_v' | 'attn_output' | 'ffn_gate' | 'ffn_up' | 'ffn_down';

/** All layers but one in `every`, the last one. */
interface WindowedLayers {
  every: number;
  /** Tokens, where the file does not say it; 0: no windows. Absent: it must say it. */
  size?: number;
  /**
   * Their RoPE: as in the others, without scaling, or without scaling and with a base of its own; or the others have none.
   */
  rope: 'same' | 'unscaled' | 'unrotated' | { base: number };
  /** Only models with so many layers have any. */
  layers?: number;
}

const ATTENTION_BIASES = ['attn_q', 'attn_k', 'attn_v', 'attn_output'] as const;
const ALL_BIASES = [...ATTENTION_BIASES, 'ffn_gate', 'ffn_up', 'ffn_down'] as const;
const WINDOW = ['attention.sliding_window'];

const LLAMA: Architecture = { rope: 'neighbours', norms: 'before', biases: ALL_BIASES, activation: 'silu' };
const GEMMA: Architecture = {
  rope: 'halves',
  norms: 'before',
  biases: [],
  activation: 'gelu',
  scalesEmbedding: true,
};

const SECTIONS = ['rope.dimension_sections'];
const ATTENTION_ONLY = { ...LLAMA, biases: ATTENTION_BIASES } as const;
const QWEN35: Architecture = {
  ...ATTENTION_ONLY,
  rope: 'halves',
  queryKeyNorm: 'head',
  isQueryGated: true,
  recurrent: { kind: 'delta', where: 'interval' },
  names: { feedForwardNorm: 'post_attention_norm.weight' },
  hasPredictor: true,
  unused: SECTIONS,
};
const QWEN35_EXPERTS: ExpertTraits = {
  gating: 'softmax',
  isNormed: true,
  size: 'share',
  shared: 'gated',
  isRequired: true,
};
const GRANITE_EXPERTS: ExpertTraits = { gating: 'softmax', isNormed: true, size: 'whole', shared: 'plain' };
const LFM2: Architecture = {
  ...ATTENTION_ONLY,
  rope: 'halves',
  queryKeyNorm: 'head',
  recurrent: { kind: 'convolution', where: 'without-keys' },
  // Where the file has a window, all layers with attention have it.
  window: { every: 2 ** 20, size: 0, rope: 'same' },
  names: { outputNorm: 'token_embd_norm.weight' },
};

/** Decoders, by `general.architecture`. */
export const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  llama: { ...LLAMA, unused: WINDOW },
  qwen2: { ...LLAMA, rope: 'halves', biases: ATTENTION_BIASES, unused: WINDOW },
  qwen3: { ...LLAMA, rope: 'halves', biases: [], queryKeyNorm: 'head', unused: WINDOW },
  phi3: { ...LLAMA, rope: 'halves', biases: [], isFused: true, unused: WINDOW },
  granite: { ...LLAMA, hasScales: true },
  smollm3: { ...LLAMA, biases: [], unrotatedEvery: 4 },
  olmo2: {
    ...LLAMA,
    rope: 'halves',
    biases: [],
    norms: 'behind',
    queryKeyNorm: 'row',
    window: { every: 4, size: 0, rope: 'unscaled' },
  },
  gemma: GEMMA,
  gemma2: {
    ...GEMMA,
    norms: 'both',
    layersWithWideScale: 46,
    caps: { attention: 50, logits: 30 },
    window: { every: 2, size: 4096, rope: 'same' },
  },
  gemma3: {
    ...GEMMA,
    norms: 'both',
    queryKeyNorm: 'head',
    layersWithWideScale: 62,
    caps: { logits: 0 },
    window: { every: 6, size: 0, rope: { base: 10_000 } },
  },
  lfm2: LFM2,
  lfm2moe: {
    ...LFM2,
    experts: { gating: 'sigmoid', isNormed: true, size: 'share', dense: 'leading_dense_block_count', isRequired: true },
  },
  qwen35: QWEN35,
  qwen35moe: { ...QWEN35, experts: QWEN35_EXPERTS },
  qwen3next: {
    ...QWEN35,
    recurrent: { kind: 'delta', where: 'interval', sharesKeys: true },
    experts: QWEN35_EXPERTS,
  },
  granitehybrid: {
    ...LLAMA,
    hasScales: true,
    recurrent: { kind: 'scan', where: 'without-keys' },
    experts: GRANITE_EXPERTS,
  },
  'falcon-h1': {
    ...ATTENTION_ONLY,
    rope: 'halves',
    recurrent: { kind: 'scan', where: 'all' },
    names: { feedForwardNorm: 'ffn_norm' },
  },
  nemotron_h: {
    ...ATTENTION_ONLY,
    rope: 'none',
    activation: 'relu-squared',
    recurrent: { kind: 'scan', where: 'one-of-three' },
    hasPredictor: true,
  },
  mistral3: { ...LLAMA, hasTemperature: true },
  exaone4: {
    ...ATTENTION_ONLY,
    rope: 'halves',
    norms: 'behind',
    queryKeyNorm: 'head',
    window: { every: 4, size: 0, rope: 'unrotated', layers: 64 },
    unused: ['attention.sliding_window_pattern'],
  },
  'hunyuan-dense': {
    ...ATTENTION_ONLY,
    rope: 'halves',
    queryKeyNorm: 'head',
    normsRotated: true,
    scalesBase: true,
  },
  ernie4_5: LLAMA,
  gemma4: {
    ...GEMMA,
    norms: 'both',
    queryKeyNorm: 'head',
    caps: { logits: 0 },
    isLayered: true,
    experts: { gating: 'softmax', isNormed: true, size: 'whole', isBeside: true },
  },
  minicpm: {
    ...LLAMA,
    hasScales: true,
    scales: ({ width, layers }) => ({ embedding: 12, residual: 1.4 / Math.sqrt(layers), logit: 256 / width }),
  },
  nanbeige: { ...LLAMA, isLooped: true },
  apertus: { ...ATTENTION_ONLY, rope: 'halves', queryKeyNorm: 'head', activation: 'xielu', isUntied: true },
  qwen2vl: { ...LLAMA, rope: 'halves', biases: ATTENTION_BIASES, unused: [...WINDOW, ...SECTIONS] },
  qwen3vl: {
    ...LLAMA,
    rope: 'halves',
    biases: ATTENTION_BIASES,
    queryKeyNorm: 'head',
    unused: [...WINDOW, ...SECTIONS, 'n_deepstack_layers'],
  },
  qwen3moe: {
    ...ATTENTION_ONLY,
    rope: 'halves',
    queryKeyNorm: 'head',
    unused: WINDOW,
    experts: { gating: 'softmax', isNormed: true, size: 'share', isRequired: true },
  },
  granitemoe: { ...LLAMA, hasScales: true, experts: { ...GRANITE_EXPERTS, isRequired: true } },
  'gpt-oss': {
    ...ATTENTION_ONLY,
    rope: 'halves',
    activation: 'clipped',
    names: { feedForwardNorm: 'post_attention_norm.weight' },
    window: { every: 2, rope: 'same' },
    hasSinks: true,
    isUntied: true,
    experts: { gating: 'chosen', size: 'share', hasBiases: true, isRequired: true },
  },
};

/** Architectures that read texts and write none. */
export const ENCODER_NAMES = [
  'bert',
  'nomic-bert',
  'nomic-bert-moe',
  'jina-bert-v2',
  'modern-bert',
  'gemma-embedding',
  'eurobert',
] as const;
export type EncoderName = (typeof ENCODER_NAMES)[number];
