/** Encoders, small, with all kinds of layers. @module */
import {
  attention,
  base,
  BEFORE,
  float,
  GATED,
  headNorms,
  HEADS,
  INNER,
  type Made,
  RMS,
  type Shapes,
} from './made-decoders.js';

const LAYER = { 'attention.layer_norm_epsilon': float(1e-6), 'attention.head_count': 4, 'attention.causal': false };
const normed = (...names: string[]): Shapes =>
  Object.fromEntries(names.flatMap((name) => [`${name}.weight`, `${name}.bias`]).map((name) => [name, [64]]));
const BEHIND = normed('attn_output_norm', 'layer_output_norm');
const biased = (shapes: Shapes): Shapes =>
  Object.fromEntries(
    Object.entries(shapes).flatMap(([name, shape]) => [
      [name, shape],
      [name.replace('.weight', '.bias'), [shape[1]!]],
    ]),
  );
const EMBEDDED = { ...normed('token_embd_norm'), 'token_types.weight': [64, 2] } as const;
const FUSED: Shapes = { 'attn_qkv.weight': [64, 192], 'attn_output.weight': [64, 64] };

/** By what they are. Vectors are the mean of all tokens'. */
export const MADE_ENCODERS: Readonly<Record<string, Made>> = {
  'gemma-embedding': {
    layers: 6,
    keys: {
      ...HEADS,
      ...RMS,
      ...base(1e6),
      'attention.key_length': 32,
      'attention.value_length': 32,
      'attention.sliding_window': 16,
      feed_forward_length: INNER,
      dense_2_feat_in: 64,
      dense_2_feat_out: 128,
      dense_3_feat_in: 128,
      dense_3_feat_out: 64,
      pooling_type: 1,
    },
    tensors: () => ({
      ...BEFORE,
      ...attention(32),
      ...headNorms(32),
      ...GATED,
      'post_attention_norm.weight': [64],
      'post_ffw_norm.weight': [64],
    }),
    more: { 'output_norm.weight': [64], 'dense_2.weight': [64, 128], 'dense_3.weight': [128, 64] },
  },
  'nomic-bert': {
    layers: 2,
    keys: { ...LAYER, ...base(1000), feed_forward_length: INNER, pooling_type: 1 },
    tensors: () => ({ ...FUSED, ...GATED, ...BEHIND }),
    more: EMBEDDED,
  },
  'nomic-bert-moe': {
    layers: 2,
    keys: {
      ...LAYER,
      ...base(1000),
      expert_count: 6,
      expert_used_count: 2,
      moe_every_n_layers: 2,
      feed_forward_length: INNER,
      pooling_type: 1,
    },
    tensors: (layer) => ({
      ...biased(FUSED),
      ...BEHIND,
      ...(layer === 1
        ? {
            'ffn_gate_inp.weight': [64, 6],
            'ffn_up_exps.weight': [64, 96, 6],
            'ffn_down_exps.weight': [96, 64, 6],
          }
        : biased({ 'ffn_up.weight': [64, 96], 'ffn_down.weight': [96, 64] })),
    }),
    more: EMBEDDED,
  },
  'modern-bert': {
    layers: 4,
    keys: {
      ...LAYER,
      ...base(160_000),
      'attention.sliding_window': 16,
      feed_forward_length: INNER,
      pooling_type: 1,
    },
    tensors: (layer) => ({
      ...FUSED,
      ...(layer > 0 && { 'attn_norm.weight': [64] }),
      'ffn_norm.weight': [64],
      'ffn_up.weight': [64, 192],
      'ffn_down.weight': [96, 64],
    }),
    more: { 'token_embd_norm.weight': [64], 'output_norm.weight': [64] },
  },
  'jina-bert-v2': {
    layers: 2,
    keys: { ...LAYER, feed_forward_length: INNER, pooling_type: 1 },
    tensors: () => ({
      ...biased(attention(16, 4, 4)),
      ...GATED,
      'ffn_down.bias': [64],
      ...BEHIND,
    }),
    more: EMBEDDED,
  },
  'jina-bert-v2 for code': {
    layers: 2,
    keys: { ...LAYER, feed_forward_length: INNER, pooling_type: 1 },
    tensors: () => ({
      ...biased(attention(16, 4, 4)),
      ...normed('attn_q_norm', 'attn_k_norm', 'attn_norm_2'),
      'ffn_up.weight': [64, 192],
      'ffn_down.weight': [96, 64],
      'ffn_down.bias': [64],
      ...BEHIND,
    }),
    more: EMBEDDED,
  },
  eurobert: {
    layers: 2,
    keys: { ...HEADS, ...RMS, ...base(250_000), feed_forward_length: INNER, pooling_type: 1 },
    tensors: () => ({ ...BEFORE, ...attention(), ...GATED }),
    more: { 'output_norm.weight': [64] },
  },
};
