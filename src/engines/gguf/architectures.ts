/**
 * The architectures that run, as data: what each has beside the others. Whatever is not in this table is refused, never left
 * out.
 * @module
 */

/** What differs between decoders. A field that is absent means that the architecture has nothing of it. */
export interface Architecture {
  /** Which numbers of a head RoPE rotates with each other: those of its two halves, or neighbours. */
  rope: 'halves' | 'neighbours';
  /** One layer in so many, the last one, has no RoPE. */
  unrotatedEvery?: number;
  /** Where attention and the feed-forward network of a layer are normalized: their input, their result, or both. */
  norms: 'before' | 'behind' | 'both';
  /** Queries and keys are normalized before RoPE: each head, or all heads of a row together. */
  queryKeyNorm?: 'head' | 'row';
  /** Biases that some files have. */
  biases: readonly BiasName[];
  /** What the gate of a feed-forward network is passed through. GELU is the one with tanh. */
  activation: 'silu' | 'gelu';
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
  /** Keys that the model was trained with and llama.cpp does not use either. */
  unused?: readonly string[];
}

export type BiasName = 'attn_q' | 'attn_k' | 'attn_v' | 'attn_output' | 'ffn_gate' | 'ffn_up' | 'ffn_down';

/** All layers but one in `every`, the last one. */
interface WindowedLayers {
  every: number;
  /** Tokens, where the file does not say it; 0: no windows. */
  size: number;
  /** Their RoPE: as in the others, without scaling, or without scaling and with a base of its own. */
  rope: 'same' | 'unscaled' | { base: number };
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

/** Encoders, by `general.architecture`. They read texts and write none. */
export const ENCODERS: Readonly<Record<string, Pick<Architecture, 'unused'>>> = { bert: {} };

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
};
