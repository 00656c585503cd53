/** Made files that differ from the usual ones of their architectures. @module */
import type { TinyFile } from './tiny-file.js';
import type { TensorInput } from './write-gguf.js';

const vector = (name: string, length: number, of: (index: number) => number): TensorInput => ({
  name,
  shape: [length],
  kind: 'F32',
  data: Float32Array.from({ length }, (_, index) => of(index)),
});

/** Half of a head is rotated: 8 pairs. */
const PAIRS = 8;
const FACTORS = {
  long: vector('rope_factors_long.weight', PAIRS / 2, (index) => 1 + index * 2),
  short: vector('rope_factors_short.weight', PAIRS / 2, (index) => 1 + index / 8),
};
const YARN = {
  'rope.scaling.type': 'yarn',
  'rope.scaling.factor': 4,
  'rope.scaling.original_context_length': 128,
} as const;

const below = (architecture: string, values: Record<string, string | number>): Record<string, string | number> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${architecture}.${key}`, value]));

/** By what is special. */
export const VARIANTS: Readonly<Record<string, TinyFile>> = {
  'llama with linear RoPE': {
    metadata: below('llama', { 'rope.scaling.type': 'linear', 'rope.scaling.factor': 4 }),
  },
  'llama whose RoPE is scaled without a name': { metadata: below('llama', { 'rope.scaling.factor': 2 }) },
  'llama with YaRN': { metadata: below('llama', YARN) },
  'llama with YaRN and further factors': {
    metadata: below('llama', {
      ...YARN,
      'rope.scaling.attn_factor': 0.8,
      'rope.scaling.yarn_beta_fast': 16,
      'rope.scaling.yarn_beta_slow': 2,
    }),
  },
  'llama with divided frequencies': { tensors: [vector('rope_freqs.weight', PAIRS, (index) => 1 + index)] },
  'llama with biases everywhere': {
    tensors: [0, 1].flatMap((layer) =>
      (
        [
          ['attn_q', 64],
          ['attn_k', 32],
          ['attn_v', 32],
          ['attn_output', 64],
          ['ffn_gate', 96],
          ['ffn_up', 96],
          ['ffn_down', 64],
        ] as const
      ).map(([part, size]) => vector(`blk.${layer}.${part}.bias`, size, (index) => Math.sin(index + layer) / 4)),
    ),
  },
  'llama with a window, which is not used': { metadata: below('llama', { 'attention.sliding_window': 8 }) },
  'phi3 with long factors': {
    architecture: 'phi3',
    metadata: below('phi3', {
      'rope.scaling.type': 'longrope',
      'rope.scaling.original_context_length': 128,
      'rope.scaling.attn_factor': 1.2,
    }),
    tensors: [FACTORS.long, FACTORS.short],
  },
  'phi3 with short factors': {
    architecture: 'phi3',
    metadata: below('phi3', {
      'rope.scaling.type': 'longrope',
      'rope.scaling.original_context_length': 512,
      'rope.scaling.attn_factor': 1.2,
    }),
    tensors: [FACTORS.long, FACTORS.short],
  },
  'olmo2 with windows and YaRN': {
    architecture: 'olmo2',
    metadata: below('olmo2', { ...YARN, 'attention.sliding_window': 8 }),
  },
  'granite without RoPE': {
    architecture: 'granite',
    metadata: { 'granite.rope.scaling.finetuned': false },
  },
  'gemma3 whose windows have another pattern and base': {
    architecture: 'gemma3',
    metadata: below('gemma3', { 'attention.sliding_window_pattern': 3, 'rope.freq_base_swa': 5000 }),
  },
  'gemma3 without windows': { architecture: 'gemma3', metadata: below('gemma3', { 'attention.sliding_window': 0 }) },
  'gemma3 with a cap': { architecture: 'gemma3', metadata: below('gemma3', { final_logit_softcapping: 5 }) },
};
