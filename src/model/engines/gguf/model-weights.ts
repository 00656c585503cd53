/** The weights of a decoder in the kernels' memory. @module */
import type { PackedWeights } from './packed-kinds.js';

/** Norms and biases are addresses of 32-bit floats. */
export interface Layer {
  attentionNorm: number;
  query: PackedWeights;
  key: PackedWeights;
  value: PackedWeights;
  output: PackedWeights;
  queryBias?: number | undefined;
  keyBias?: number | undefined;
  valueBias?: number | undefined;
  outputBias?: number | undefined;
  /** Of each head. */
  queryNorm?: number | undefined;
  keyNorm?: number | undefined;
  feedForwardNorm: number;
  gate: PackedWeights;
  up: PackedWeights;
  down: PackedWeights;
}

export interface ModelWeights {
  /** A row for each token. */
  embedding: PackedWeights;
  layers: readonly Layer[];
  outputNorm: number;
  /** What gives logits; the embedding itself in models that have it twice in one. */
  head: PackedWeights;
}
