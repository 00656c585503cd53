/** What made files of each architecture have: further metadata, and which tensors. @module */
import type { MetadataInput } from './write-gguf.js';

/** Vectors of a layer by the sizes of their rows. */
type VectorSize = 'width' | 'queries' | 'keys' | 'head' | 'inner';

export interface TinyArchitecture {
  layers: number;
  headSize?: number;
  /** Below the architecture's name. */
  metadata?: Readonly<Record<string, MetadataInput>>;
  /** Of each layer, beside its matrices. Those that end with `.bias` are around 0, others around 1. */
  vectors: Readonly<Record<string, VectorSize>>;
  /** Queries, keys and values are one tensor, gate and up another. */
  fused?: boolean;
  /** There is `output.weight`. */
  untied?: boolean;
}

const BEFORE = { 'attn_norm.weight': 'width', 'ffn_norm.weight': 'width' } as const;
const BEHIND = { 'post_attention_norm.weight': 'width', 'post_ffw_norm.weight': 'width' } as const;
const HEAD_NORMS = { 'attn_q_norm.weight': 'head', 'attn_k_norm.weight': 'head' } as const;

/** By `general.architecture`. */
export const TINY_ARCHITECTURES = {
  llama: { layers: 2, vectors: BEFORE },
  qwen2: {
    layers: 2,
    vectors: { ...BEFORE, 'attn_q.bias': 'queries', 'attn_k.bias': 'keys', 'attn_v.bias': 'keys' },
  },
  qwen3: { layers: 2, vectors: { ...BEFORE, ...HEAD_NORMS } },
  phi3: { layers: 2, vectors: BEFORE, fused: true, untied: true, metadata: { 'rope.dimension_count': 8 } },
  granite: {
    layers: 2,
    vectors: BEFORE,
    metadata: { embedding_scale: 12.5, residual_scale: 0.22, 'attention.scale': 0.3, logit_scale: 0.125 },
  },
  smollm3: { layers: 5, vectors: BEFORE },
  olmo2: {
    layers: 5,
    vectors: { ...BEHIND, 'attn_q_norm.weight': 'queries', 'attn_k_norm.weight': 'keys' },
    untied: true,
  },
  gemma: {
    layers: 2,
    headSize: 32,
    vectors: BEFORE,
    metadata: { 'attention.key_length': 32, 'attention.value_length': 32 },
  },
  gemma2: {
    layers: 3,
    headSize: 32,
    vectors: { ...BEFORE, ...BEHIND },
    metadata: {
      'attention.key_length': 32,
      'attention.value_length': 32,
      attn_logit_softcapping: 3,
      final_logit_softcapping: 10,
      'attention.sliding_window': 8,
    },
  },
  gemma3: {
    layers: 7,
    vectors: { ...BEFORE, ...BEHIND, ...HEAD_NORMS },
    metadata: {
      'rope.freq_base': 1_000_000,
      'attention.sliding_window': 8,
      'rope.scaling.type': 'linear',
      'rope.scaling.factor': 8,
    },
  },
} as const satisfies Record<string, TinyArchitecture>;

export type TinyArchitectureName = keyof typeof TINY_ARCHITECTURES;
