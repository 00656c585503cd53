/** The weights of a decoder. @module */
import type { PackedWeights } from './packed-kinds.js';

/** The matrices of a layer. */
export interface LayerMatrices<Matrix> {
  query: Matrix;
  key: Matrix;
  value: Matrix;
  output: Matrix;
  gate: Matrix;
  up: Matrix;
  down: Matrix;
}

/** Norms and biases of a layer; each belongs to some architectures alone. */
export interface LayerVectors<Vector> {
  attentionNorm?: Vector | undefined;
  /** Of what attention gives. */
  attentionPostNorm?: Vector | undefined;
  queryBias?: Vector | undefined;
  keyBias?: Vector | undefined;
  valueBias?: Vector | undefined;
  outputBias?: Vector | undefined;
  /** Of each head, or of all heads of a row together. */
  queryNorm?: Vector | undefined;
  keyNorm?: Vector | undefined;
  feedForwardNorm?: Vector | undefined;
  feedForwardPostNorm?: Vector | undefined;
  gateBias?: Vector | undefined;
  upBias?: Vector | undefined;
  downBias?: Vector | undefined;
}

/** In the kernels' memory; vectors are addresses of 32-bit floats. */
export type Layer = LayerMatrices<PackedWeights> & LayerVectors<number>;

export interface ModelWeights {
  /** A row for each token. */
  embedding: PackedWeights;
  layers: readonly Layer[];
  outputNorm: number;
  /** What gives logits; the embedding itself in models that have it twice in one. */
  head: PackedWeights;
}
