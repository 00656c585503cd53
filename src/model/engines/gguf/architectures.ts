/**
 * The architectures that run, as data: what each has beside the others. Whatever is not in this table is refused, never left
 * out.
 * @module
 */

/** What differs between decoders. */
export interface Architecture {
  /** Which numbers of a head RoPE rotates with each other: those of its two halves, or neighbours. */
  rope: 'halves' | 'neighbours';
  /** Queries and keys are normalized, head by head, before RoPE. */
  headNorms: boolean;
  /** Tensors of a layer that some files have: biases of projections. */
  biases: readonly ('attn_q' | 'attn_k' | 'attn_v' | 'attn_output')[];
}

const ALL_BIASES = ['attn_q', 'attn_k', 'attn_v', 'attn_output'] as const;

/** By `general.architecture`. */
export const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  llama: { rope: 'neighbours', headNorms: false, biases: ALL_BIASES },
  qwen2: { rope: 'halves', headNorms: false, biases: ['attn_q', 'attn_k', 'attn_v'] },
  qwen3: { rope: 'halves', headNorms: true, biases: [] },
};
