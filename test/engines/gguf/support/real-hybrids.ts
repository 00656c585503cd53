/**
 * Heads of files whose recurrent layers have the sizes that people run, a layer of each sort. Attention of Qwen3.5 is smaller:
 * shaders for heads of 256 take minutes to compile in software.
 * @module
 */
import type { GgufHeader, GgufTensor, GgufValue } from '../../../../src/engines/gguf/file/header.js';
import { TENSOR_KINDS } from '../../../../src/engines/gguf/file/tensor-kinds.js';

type Shapes = Readonly<Record<string, readonly number[]>>;

interface RealHybrid {
  architecture: string;
  width: number;
  outputNorm?: string;
  keys: Readonly<Record<string, GgufValue>>;
  layers: readonly Shapes[];
}

const attention = (width: number, heads: number, kvHeads: number, size: number, isGated = false): Shapes => ({
  'attn_q.weight': [width, heads * size * (isGated ? 2 : 1)],
  'attn_k.weight': [width, kvHeads * size],
  'attn_v.weight': [width, kvHeads * size],
  'attn_output.weight': [heads * size, width],
});
const headNorms = (size: number): Shapes => ({ 'attn_q_norm.weight': [size], 'attn_k_norm.weight': [size] });
const network = (width: number, inner: number): Shapes => ({
  'ffn_gate.weight': [width, inner],
  'ffn_up.weight': [width, inner],
  'ffn_down.weight': [inner, width],
});
const norms = (width: number, second = 'ffn_norm.weight'): Shapes => ({
  'attn_norm.weight': [width],
  [second]: [width],
});

interface Scan {
  heads: number;
  size: number;
  state: number;
  groups: number;
}
const scan = (width: number, { heads, size, state, groups }: Scan, isNormed = true): Shapes => {
  const [inner, channels] = [heads * size, heads * size + 2 * groups * state];
  return {
    'ssm_in.weight': [width, inner + channels + heads],
    'ssm_conv1d.weight': [4, channels],
    'ssm_conv1d.bias': [channels],
    'ssm_dt.bias': [heads],
    ssm_a: [1, heads],
    ssm_d: [1, heads],
    ...(isNormed && { 'ssm_norm.weight': [inner / groups, groups] }),
    'ssm_out.weight': [inner, width],
  };
};
const scanKeys = ({ heads, size, state, groups }: Scan): RealHybrid['keys'] => ({
  'ssm.conv_kernel': 4,
  'ssm.inner_size': heads * size,
  'ssm.state_size': state,
  'ssm.group_count': groups,
  'ssm.time_step_rank': heads,
});
const attentionKeys = (heads: number, kvHeads: number | number[], size: number): RealHybrid['keys'] => ({
  'attention.head_count': heads,
  'attention.head_count_kv': kvHeads,
  'attention.key_length': size,
  'attention.value_length': size,
});

const GRANITE: Scan = { heads: 48, size: 32, state: 128, groups: 1 };
const FALCON: Scan = { heads: 24, size: 64, state: 256, groups: 1 };
const NEMOTRON: Scan = { heads: 128, size: 80, state: 128, groups: 8 };

export const REAL_HYBRIDS: Readonly<Record<string, RealHybrid>> = {
  'LFM2-1.2B': {
    architecture: 'lfm2',
    width: 2048,
    outputNorm: 'token_embd_norm.weight',
    keys: { ...attentionKeys(32, [0, 8], 64), 'shortconv.l_cache': 3, feed_forward_length: 8192 },
    layers: [
      {
        ...norms(2048),
        ...network(2048, 8192),
        'shortconv.conv.weight': [3, 2048],
        'shortconv.in_proj.weight': [2048, 6144],
        'shortconv.out_proj.weight': [2048, 2048],
      },
      { ...norms(2048), ...attention(2048, 32, 8, 64), ...headNorms(64), ...network(2048, 8192) },
    ],
  },
  'Qwen3.5-4B': {
    architecture: 'qwen35',
    width: 2560,
    keys: {
      ...attentionKeys(8, 2, 64),
      'rope.dimension_count': 16,
      full_attention_interval: 2,
      'ssm.conv_kernel': 4,
      'ssm.inner_size': 4096,
      'ssm.state_size': 128,
      'ssm.group_count': 16,
      'ssm.time_step_rank': 32,
      feed_forward_length: 9216,
    },
    layers: [
      {
        ...norms(2560, 'post_attention_norm.weight'),
        ...network(2560, 9216),
        'attn_qkv.weight': [2560, 8192],
        'attn_gate.weight': [2560, 4096],
        'ssm_beta.weight': [2560, 32],
        'ssm_alpha.weight': [2560, 32],
        'ssm_conv1d.weight': [4, 8192],
        'ssm_dt.bias': [32],
        ssm_a: [32],
        'ssm_norm.weight': [128],
        'ssm_out.weight': [4096, 2560],
      },
      {
        ...norms(2560, 'post_attention_norm.weight'),
        ...attention(2560, 8, 2, 64, true),
        ...headNorms(64),
        ...network(2560, 9216),
      },
    ],
  },
  'Granite 4.0 H 350M': {
    architecture: 'granitehybrid',
    width: 768,
    keys: { ...attentionKeys(12, [0, 4], 64), ...scanKeys(GRANITE), feed_forward_length: 2048 },
    layers: [
      { ...norms(768), ...scan(768, GRANITE), ...network(768, 2048) },
      { ...norms(768), ...attention(768, 12, 4, 64), ...network(768, 2048) },
    ],
  },
  'Falcon-H1-1.5B': {
    architecture: 'falcon-h1',
    width: 2048,
    keys: { ...attentionKeys(8, 2, 128), ...scanKeys(FALCON), feed_forward_length: 4096 },
    layers: [
      {
        ...norms(2048, 'ffn_norm'),
        ...attention(2048, 8, 2, 128),
        ...scan(2048, FALCON, false),
        ...network(2048, 4096),
      },
    ],
  },
  'Nemotron-H-9B': {
    architecture: 'nemotron_h',
    width: 4480,
    keys: { ...attentionKeys(40, [0, 8, 0], 128), ...scanKeys(NEMOTRON), feed_forward_length: [0, 0, 15_680] },
    layers: [
      { 'attn_norm.weight': [4480], ...scan(4480, NEMOTRON) },
      { 'attn_norm.weight': [4480], ...attention(4480, 40, 8, 128) },
      { 'attn_norm.weight': [4480], 'ffn_up.weight': [4480, 15_680], 'ffn_down.weight': [15_680, 4480] },
    ],
  },
};

/** A head with matrices of Q8_0. */
export function headerOfHybrid({ architecture, width, outputNorm, keys, layers }: RealHybrid): GgufHeader {
  const tensors: GgufTensor[] = [];
  let offset = 0;
  const add = (name: string, shape: readonly number[]): void => {
    const isMatrix = name.endsWith('weight') && shape.length === 2 && !/conv|norm/.test(name);
    const kind = isMatrix || /(in|out)_proj/.test(name) ? 'Q8_0' : 'F32';
    const { values, bytes: blockBytes } = TENSOR_KINDS[kind];
    const bytes = (shape.reduce((product, size) => product * size, 1) / values) * blockBytes;
    tensors.push({ name, shape, kind, offset, bytes });
    offset += bytes;
  };
  add('token_embd.weight', [width, 1024]);
  add(outputNorm ?? 'output_norm.weight', [width]);
  for (const [layer, shapes] of layers.entries())
    for (const [part, shape] of Object.entries(shapes)) add(`blk.${layer}.${part}`, shape);
  const values: RealHybrid['keys'] = {
    context_length: 4096,
    embedding_length: width,
    block_count: layers.length,
    'attention.layer_norm_rms_epsilon': 1e-5,
    'rope.freq_base': 1e6,
    ...keys,
  };
  const metadata = new Map<string, GgufValue>([['general.architecture', architecture]]);
  for (const [key, value] of Object.entries(values)) metadata.set(`${architecture}.${key}`, value);
  return { file: 'made.gguf', version: 3, metadata, tensors, dataStart: 0, dataEnd: offset };
}
