/** Sizes of models that are measured and counted, without their weights. @module */
import type { GgufHeader, GgufTensor, GgufValue } from '../../src/engines/gguf/file/header.js';
import { TENSOR_KINDS, type TensorKind } from '../../src/engines/gguf/file/tensor-kinds.js';

export interface ModelSize {
  architecture: string;
  layers: number;
  width: number;
  heads: number;
  kvHeads: number;
  head: number;
  inner: number;
  vocabulary: number;
  biases?: boolean;
  /** In the place of the network: how many, those that a row takes, and numbers inside one. */
  experts?: { count: number; used: number; inner: number };
  /** Of most matrices; of the down projections of every second layer; of the table. */
  kinds: readonly [TensorKind, TensorKind, TensorKind];
}

/** By name: five that people run, and a small one for a GPU in software. */
export const MODEL_SIZES = {
  'SmolLM2-135M Q4_1': {
    architecture: 'llama',
    layers: 30,
    width: 576,
    heads: 9,
    kvHeads: 3,
    head: 64,
    inner: 1536,
    vocabulary: 49_152,
    kinds: ['Q4_1', 'Q4_1', 'Q8_0'],
  },
  'Gemma 3 270M Q4_K_M': {
    architecture: 'gemma3',
    layers: 18,
    width: 640,
    heads: 4,
    kvHeads: 1,
    head: 256,
    inner: 2048,
    vocabulary: 262_144,
    kinds: ['Q5_0', 'Q8_0', 'Q8_0'],
  },
  '0.5B Q4_0': {
    architecture: 'qwen2',
    layers: 24,
    width: 896,
    heads: 14,
    kvHeads: 2,
    head: 64,
    inner: 4864,
    vocabulary: 151_936,
    biases: true,
    kinds: ['Q4_0', 'Q4_0', 'Q8_0'],
  },
  '1.5B Q4_K_M': {
    architecture: 'qwen2',
    layers: 28,
    width: 1536,
    heads: 12,
    kvHeads: 2,
    head: 128,
    inner: 8960,
    vocabulary: 151_936,
    biases: true,
    kinds: ['Q4_K', 'Q6_K', 'Q6_K'],
  },
  '3B Q4_K_M': {
    architecture: 'qwen2',
    layers: 36,
    width: 2048,
    heads: 16,
    kvHeads: 2,
    head: 128,
    inner: 11_008,
    vocabulary: 151_936,
    biases: true,
    kinds: ['Q4_K', 'Q6_K', 'Q6_K'],
  },
  'small Q4_0': {
    architecture: 'llama',
    layers: 1,
    width: 64,
    heads: 4,
    kvHeads: 2,
    head: 16,
    inner: 96,
    vocabulary: 320,
    kinds: ['Q4_0', 'Q4_0', 'Q4_0'],
  },
} as const satisfies Readonly<Record<string, ModelSize>>;
export type ModelName = keyof typeof MODEL_SIZES;

/** A head as a file of the size has it. */
export function headerOf(shape: ModelSize): GgufHeader {
  const { architecture, layers, width, heads, kvHeads, head, inner, vocabulary, biases, kinds, experts } = shape;
  const tensors: GgufTensor[] = [];
  let offset = 0;
  const add = (name: string, kind: TensorKind, ...sizes: number[]): void => {
    const { values, bytes: blockBytes } = TENSOR_KINDS[kind];
    const bytes = (sizes.reduce((product, size) => product * size, 1) / values) * blockBytes;
    tensors.push({ name, shape: sizes, kind, offset, bytes });
    offset += bytes;
  };
  add('token_embd.weight', kinds[2], width, vocabulary);
  add('output_norm.weight', 'F32', width);
  for (let layer = 0; layer < layers; layer++) {
    const of = (part: string): string => `blk.${layer}.${part}.weight`;
    add(of('attn_q'), kinds[0], width, heads * head);
    add(of('attn_k'), kinds[0], width, kvHeads * head);
    add(of('attn_v'), kinds[0], width, kvHeads * head);
    add(of('attn_output'), kinds[0], heads * head, width);
    const down = layer % 2 === 0 ? kinds[0] : kinds[1];
    if (experts) {
      add(of('ffn_gate_inp'), 'F32', width, experts.count);
      for (const part of ['ffn_gate_exps', 'ffn_up_exps']) add(of(part), kinds[0], width, experts.inner, experts.count);
      add(of('ffn_down_exps'), down, experts.inner, width, experts.count);
      for (const norm of ['attn_q_norm', 'attn_k_norm']) add(of(norm), 'F32', head);
    } else {
      for (const part of ['ffn_gate', 'ffn_up']) add(of(part), kinds[0], width, inner);
      add(of('ffn_down'), down, inner, width);
    }
    for (const norm of ['attn_norm', 'ffn_norm']) add(of(norm), 'F32', width);
    if (architecture === 'gemma3') {
      for (const norm of ['post_attention_norm', 'post_ffw_norm']) add(of(norm), 'F32', width);
      for (const norm of ['attn_q_norm', 'attn_k_norm']) add(of(norm), 'F32', head);
    }
    if (biases) {
      add(`blk.${layer}.attn_q.bias`, 'F32', heads * head);
      for (const part of ['attn_k', 'attn_v']) add(`blk.${layer}.${part}.bias`, 'F32', kvHeads * head);
    }
  }
  const values: Record<string, number> = {
    context_length: 4096,
    embedding_length: width,
    block_count: layers,
    feed_forward_length: inner,
    'attention.head_count': heads,
    'attention.head_count_kv': kvHeads,
    'attention.key_length': head,
    'attention.value_length': head,
    'attention.layer_norm_rms_epsilon': 1e-6,
    ...(experts && {
      expert_count: experts.count,
      expert_used_count: experts.used,
      expert_feed_forward_length: experts.inner,
    }),
    ...(architecture === 'gemma3' && { 'attention.sliding_window': 512 }),
  };
  const metadata = new Map<string, GgufValue>([['general.architecture', architecture]]);
  for (const [key, value] of Object.entries(values)) metadata.set(`${architecture}.${key}`, value);
  return { file: 'made.gguf', version: 3, metadata, tensors, dataStart: 0, dataEnd: offset };
}
