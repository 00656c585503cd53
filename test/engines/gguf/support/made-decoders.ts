/** Decoders with layers of several kinds: small, with all kinds of layers. @module */
import type { MetadataInput } from './write-gguf.js';

export type Numbers = Record<string, MetadataInput>;

/** What a file of an architecture has beside the vocabulary. */
export interface Made {
  layers: number;
  keys: Numbers;
  /** Of a layer: names behind `blk.N.` with their shapes, innermost first. */
  tensors: (layer: number) => Record<string, readonly number[]>;
  /** The same of the whole model. */
  more?: Record<string, readonly number[]>;
  /** Keys without the architecture's name. */
  metadata?: Numbers;
  /** The last norm has another name. */
  outputNorm?: string;
}

export const [WIDTH, INNER, VOCABULARY] = [64, 96, 106];
export const HEADS = { 'attention.head_count': 4, 'attention.head_count_kv': 2 };
export const float = (value: number): MetadataInput => ({ type: 'f32', value });
export const RMS = { 'attention.layer_norm_rms_epsilon': float(1e-5) };
export const base = (value: number): Numbers => ({ 'rope.freq_base': float(value) });

export type Shapes = Record<string, readonly number[]>;
export const GATED: Shapes = { 'ffn_gate.weight': [64, 96], 'ffn_up.weight': [64, 96], 'ffn_down.weight': [96, 64] };
export const BEFORE: Shapes = { 'attn_norm.weight': [64], 'ffn_norm.weight': [64] };
export const attention = (headSize = 16, heads = 4, kvHeads = 2): Shapes => ({
  'attn_q.weight': [64, heads * headSize],
  'attn_k.weight': [64, kvHeads * headSize],
  'attn_v.weight': [64, kvHeads * headSize],
  'attn_output.weight': [heads * headSize, 64],
});
export const headNorms = (headSize = 16): Shapes => ({
  'attn_q_norm.weight': [headSize],
  'attn_k_norm.weight': [headSize],
});
const experts = (count: number, inner: number): Shapes => ({
  'ffn_gate_inp.weight': [64, count],
  'ffn_gate_exps.weight': [64, inner, count],
  'ffn_up_exps.weight': [64, inner, count],
  'ffn_down_exps.weight': [inner, 64, count],
});
const shared = (inner: number): Shapes => ({
  'ffn_gate_shexp.weight': [64, inner],
  'ffn_up_shexp.weight': [64, inner],
  'ffn_down_shexp.weight': [inner, 64],
});
const EXPERTS = { expert_count: 6, expert_used_count: 2, expert_feed_forward_length: 32 };

/** Mamba 2: 4 heads of 32, 2 groups of 16. */
const SCAN = {
  'ssm.conv_kernel': 4,
  'ssm.inner_size': 128,
  'ssm.state_size': 16,
  'ssm.group_count': 2,
  'ssm.time_step_rank': 4,
};
const scan = (isNormed = true): Shapes => ({
  'ssm_in.weight': [64, 128 + 192 + 4],
  'ssm_conv1d.weight': [4, 192],
  'ssm_conv1d.bias': [192],
  'ssm_dt.bias': [4],
  ssm_a: [1, 4],
  ssm_d: [1, 4],
  ...(isNormed && { 'ssm_norm.weight': [64, 2] }),
  'ssm_out.weight': [128, 64],
});
/** A gated delta net: 4 heads of values and 2 of keys of 16. */
const DELTA = {
  'ssm.conv_kernel': 4,
  'ssm.inner_size': 64,
  'ssm.state_size': 16,
  'ssm.group_count': 2,
  'ssm.time_step_rank': 4,
};
const delta = (isJoint = false): Shapes => ({
  'attn_qkv.weight': [64, 128],
  'attn_gate.weight': [64, 64],
  ...(isJoint ? { 'ssm_ba.weight': [64, 8] } : { 'ssm_beta.weight': [64, 4], 'ssm_alpha.weight': [64, 4] }),
  'ssm_conv1d.weight': [4, 128],
  'ssm_dt.bias': [4],
  ssm_a: [4],
  'ssm_norm.weight': [16],
  'ssm_out.weight': [64, 64],
});
const QWEN35_KEYS = {
  ...HEADS,
  ...RMS,
  ...DELTA,
  ...base(10_000_000),
  'attention.key_length': 32,
  'attention.value_length': 32,
  'rope.dimension_count': 16,
  full_attention_interval: 3,
};
const SECTIONS = { 'rope.dimension_sections': [3, 3, 2, 0] };
const qwen35Layer = (layer: number, isJoint = false): Shapes => ({
  'attn_norm.weight': [64],
  'post_attention_norm.weight': [64],
  ...((layer + 1) % 3 === 0
    ? { ...attention(32), 'attn_q.weight': [64, 256] as const, ...headNorms(32) }
    : delta(isJoint)),
});
const sharedOpening: Shapes = { ...shared(32), 'ffn_gate_inp_shexp.weight': [64] };
const YARN = {
  'rope.scaling.type': 'yarn',
  'rope.scaling.factor': float(4),
  'rope.scaling.original_context_length': 16,
};

const lfm2 = (layer: number): Shapes => ({
  ...BEFORE,
  ...(layer % 3 === 2
    ? { ...attention(), ...headNorms() }
    : {
        'shortconv.conv.weight': [3, 64],
        'shortconv.in_proj.weight': [64, 192],
        'shortconv.out_proj.weight': [64, 64],
      }),
});
const LFM2_KEYS = { ...RMS, ...base(1e6), 'attention.head_count': 4, 'shortconv.l_cache': 3 };
const gemma4Layer = (layer: number, isRouted = false): Shapes => {
  const isFull = layer % 3 === 2;
  const size = isFull ? 32 : 16;
  const isOwn = isRouted || layer < 3;
  const { 'attn_k.weight': key, 'attn_v.weight': value, ...rest } = attention(size);
  return {
    ...BEFORE,
    ...rest,
    'post_attention_norm.weight': [64],
    'post_ffw_norm.weight': [64],
    'attn_q_norm.weight': [size],
    ...(isOwn && { 'attn_k.weight': key!, 'attn_k_norm.weight': [size], ...(!isFull && { 'attn_v.weight': value! }) }),
    ...GATED,
    'layer_output_scale.weight': [1],
    ...(isRouted
      ? {
          'ffn_gate_inp.weight': [64, 6],
          'ffn_gate_inp.scale': [64],
          'post_ffw_norm_1.weight': [64],
          'pre_ffw_norm_2.weight': [64],
          'post_ffw_norm_2.weight': [64],
          'ffn_gate_up_exps.weight': [64, 64, 6],
          'ffn_down_exps.weight': [32, 64, 6],
          'ffn_down_exps.scale': [6],
        }
      : { 'inp_gate.weight': [64, 32], 'proj.weight': [32, 64], 'post_norm.weight': [64] }),
  };
};
const GEMMA4_KEYS = {
  ...HEADS,
  ...RMS,
  ...base(1e6),
  'rope.freq_base_swa': float(10_000),
  'attention.key_length': 32,
  'attention.value_length': 32,
  'attention.key_length_swa': 16,
  'attention.value_length_swa': 16,
  'rope.dimension_count': 32,
  'rope.dimension_count_swa': 16,
  'attention.sliding_window': 8,
  'attention.sliding_window_pattern': [true, true, false, true, true, false],
  feed_forward_length: INNER,
  final_logit_softcapping: float(30),
};
const GEMMA4_MORE = { 'rope_freqs.weight': [16] };

/** By what they are: of some architectures several. */
export const MADE_DECODERS: Readonly<Record<string, Made>> = {
  lfm2: {
    layers: 5,
    keys: { ...LFM2_KEYS, 'attention.head_count_kv': [0, 0, 2, 0, 0], feed_forward_length: INNER },
    tensors: (layer) => ({ ...lfm2(layer), ...GATED }),
    outputNorm: 'token_embd_norm.weight',
  },
  'lfm2 with several counts of heads': {
    layers: 4,
    keys: { ...LFM2_KEYS, 'attention.head_count_kv': [4, 0, 1, 2], feed_forward_length: INNER },
    tensors: (layer) => ({
      ...lfm2(layer === 1 ? 0 : 2),
      ...(layer !== 1 && attention(16, 4, [4, 0, 1, 2][layer])),
      ...GATED,
    }),
    outputNorm: 'token_embd_norm.weight',
  },
  qwen35: {
    layers: 4,
    keys: { ...QWEN35_KEYS, ...SECTIONS, feed_forward_length: INNER },
    tensors: (layer) => ({ ...qwen35Layer(layer), ...GATED }),
  },
  granitehybrid: {
    layers: 3,
    keys: {
      ...RMS,
      ...SCAN,
      ...base(10_000),
      'attention.head_count': 4,
      'attention.head_count_kv': [0, 2, 0],
      feed_forward_length: INNER,
      embedding_scale: float(3),
      residual_scale: float(0.4),
      'attention.scale': float(0.3),
      logit_scale: float(0.5),
      'rope.scaling.finetuned': false,
    },
    tensors: (layer) => ({ ...BEFORE, ...(layer === 1 ? attention() : scan()), ...GATED }),
  },
  'falcon-h1': {
    layers: 3,
    keys: {
      ...HEADS,
      ...RMS,
      ...SCAN,
      ...base(1e6),
      'attention.key_length': 16,
      'attention.value_length': 16,
      feed_forward_length: INNER,
    },
    tensors: () => ({ 'attn_norm.weight': [64], ffn_norm: [64], ...attention(), ...scan(false), ...GATED }),
  },
  nemotron_h: {
    layers: 5,
    keys: {
      ...RMS,
      ...SCAN,
      'attention.head_count': 4,
      'attention.head_count_kv': [0, 0, 2, 0, 0],
      feed_forward_length: [0, 96, 0, 96, 0],
      'attention.key_length': 16,
      'attention.value_length': 16,
    },
    tensors: (layer) => ({
      'attn_norm.weight': [64],
      ...(layer % 2 === 1
        ? { 'ffn_up.weight': [64, 96], 'ffn_down.weight': [96, 64] }
        : layer === 2
          ? attention()
          : scan()),
    }),
  },
  mistral3: {
    layers: 2,
    keys: {
      ...HEADS,
      ...RMS,
      ...base(1e6),
      ...YARN,
      'attention.key_length': 32,
      'attention.value_length': 32,
      'rope.dimension_count': 32,
      'rope.scaling.yarn_log_multiplier': float(0.5),
      'attention.temperature_scale': float(0.1),
      feed_forward_length: INNER,
    },
    tensors: () => ({ ...BEFORE, ...attention(32), ...GATED }),
  },
  exaone4: {
    layers: 3,
    keys: { ...HEADS, ...RMS, ...base(1e6), feed_forward_length: INNER },
    tensors: () => ({
      ...attention(),
      ...headNorms(),
      ...GATED,
      'post_attention_norm.weight': [64],
      'post_ffw_norm.weight': [64],
    }),
  },
  'hunyuan-dense': {
    layers: 2,
    keys: { ...HEADS, ...RMS, ...base(10_000), 'rope.scaling.alpha': float(1000), feed_forward_length: INNER },
    tensors: () => ({ ...BEFORE, ...attention(), ...headNorms(), ...GATED }),
  },
  ernie4_5: {
    layers: 2,
    keys: {
      ...HEADS,
      ...RMS,
      ...base(500_000),
      'attention.key_length': 32,
      'attention.value_length': 32,
      feed_forward_length: INNER,
    },
    tensors: () => ({ ...BEFORE, ...attention(32), ...GATED }),
  },
  gemma4: {
    layers: 6,
    keys: { ...GEMMA4_KEYS, 'attention.shared_kv_layers': 3, embedding_length_per_layer_input: 32 },
    tensors: (layer) => gemma4Layer(layer),
    more: {
      ...GEMMA4_MORE,
      'per_layer_token_embd.weight': [32 * 6, VOCABULARY],
      'per_layer_model_proj.weight': [64, 32 * 6],
      'per_layer_proj_norm.weight': [32],
    },
  },
  'gemma4 with experts': {
    layers: 6,
    keys: { ...GEMMA4_KEYS, ...EXPERTS, embedding_length_per_layer_input: 0 },
    tensors: (layer) => gemma4Layer(layer, true),
    more: GEMMA4_MORE,
  },
  minicpm: {
    layers: 2,
    keys: { ...HEADS, ...RMS, ...base(10_000), feed_forward_length: INNER },
    tensors: () => ({ ...BEFORE, ...attention(), ...GATED }),
  },
  nanbeige: {
    layers: 2,
    keys: { ...HEADS, ...RMS, ...base(10_000), num_loops: 2, feed_forward_length: INNER },
    tensors: () => ({ ...BEFORE, ...attention(), ...GATED }),
  },
  apertus: {
    layers: 2,
    keys: { ...HEADS, ...RMS, ...base(10_000), feed_forward_length: INNER },
    metadata: {
      'xielu.alpha_n': Float32Array.of(0.3, -0.2),
      'xielu.alpha_p': Float32Array.of(0.5, 0.8),
      'xielu.beta': float(0.5),
      'xielu.eps': float(-1e-6),
    },
    tensors: () => ({
      ...BEFORE,
      ...attention(),
      ...headNorms(),
      'ffn_up.weight': [64, 96],
      'ffn_down.weight': [96, 64],
    }),
    more: { 'output.weight': [64, VOCABULARY] },
  },
  qwen2vl: {
    layers: 2,
    keys: { ...HEADS, ...RMS, ...SECTIONS, ...base(10_000), feed_forward_length: INNER },
    tensors: () => ({
      ...BEFORE,
      ...attention(),
      ...GATED,
      'attn_q.bias': [64],
      'attn_k.bias': [32],
      'attn_v.bias': [32],
    }),
  },
  qwen3vl: {
    layers: 2,
    keys: { ...HEADS, ...RMS, ...SECTIONS, ...base(10_000), n_deepstack_layers: 3, feed_forward_length: INNER },
    tensors: () => ({ ...BEFORE, ...attention(), ...headNorms(), ...GATED }),
  },
  qwen3moe: {
    layers: 2,
    keys: { ...HEADS, ...RMS, ...base(10_000), ...EXPERTS },
    tensors: () => ({ ...BEFORE, ...attention(), ...headNorms(), ...experts(6, 32) }),
  },
  granitemoe: {
    layers: 2,
    keys: {
      ...HEADS,
      ...RMS,
      ...base(10_000),
      expert_count: 6,
      expert_used_count: 3,
      expert_shared_feed_forward_length: 32,
      feed_forward_length: 64,
      embedding_scale: float(3),
      residual_scale: float(0.4),
      'attention.scale': float(0.3),
      logit_scale: float(0.5),
    },
    tensors: () => ({ ...BEFORE, ...attention(), ...experts(6, 64), ...shared(32) }),
  },
  lfm2moe: {
    layers: 4,
    keys: {
      ...LFM2_KEYS,
      ...EXPERTS,
      'attention.head_count_kv': [0, 0, 2, 0],
      feed_forward_length: INNER,
      expert_gating_func: 2,
      leading_dense_block_count: 1,
    },
    tensors: (layer) => ({ ...lfm2(layer), ...(layer === 0 ? GATED : { ...experts(6, 32), 'exp_probs_b.bias': [6] }) }),
    outputNorm: 'token_embd_norm.weight',
  },
  'gpt-oss': {
    layers: 2,
    keys: {
      ...HEADS,
      ...RMS,
      ...base(150_000),
      ...YARN,
      ...EXPERTS,
      'attention.key_length': 32,
      'attention.value_length': 32,
      'rope.dimension_count': 32,
      'attention.sliding_window': 8,
      feed_forward_length: 32,
    },
    tensors: () => ({
      'attn_norm.weight': [64],
      'post_attention_norm.weight': [64],
      ...attention(32),
      'attn_q.bias': [128],
      'attn_k.bias': [64],
      'attn_v.bias': [64],
      'attn_output.bias': [64],
      'attn_sinks.weight': [4],
      ...experts(6, 32),
      'ffn_gate_inp.bias': [6],
      'ffn_gate_exps.bias': [32, 6],
      'ffn_up_exps.bias': [32, 6],
      'ffn_down_exps.bias': [64, 6],
    }),
    more: { 'output.weight': [64, VOCABULARY] },
  },
  qwen35moe: {
    layers: 4,
    keys: { ...QWEN35_KEYS, ...SECTIONS, ...EXPERTS, expert_shared_feed_forward_length: 32 },
    tensors: (layer) => ({
      ...qwen35Layer(layer),
      'ffn_gate_inp.weight': [64, 6],
      'ffn_gate_up_exps.weight': [64, 64, 6],
      'ffn_down_exps.weight': [32, 64, 6],
      ...sharedOpening,
    }),
  },
  qwen3next: {
    layers: 4,
    keys: { ...QWEN35_KEYS, ...EXPERTS, expert_shared_feed_forward_length: 32 },
    tensors: (layer) => ({ ...qwen35Layer(layer, true), ...experts(6, 32), ...sharedOpening }),
  },
  'granitehybrid with experts': {
    layers: 2,
    keys: {
      ...RMS,
      ...SCAN,
      ...base(10_000),
      'attention.head_count': 4,
      'attention.head_count_kv': [0, 2],
      expert_count: 6,
      expert_used_count: 2,
      expert_shared_feed_forward_length: 32,
      feed_forward_length: 64,
      residual_scale: float(0.4),
    },
    tensors: (layer) => ({ ...BEFORE, ...(layer === 1 ? attention() : scan()), ...experts(6, 64), ...shared(32) }),
  },
};
