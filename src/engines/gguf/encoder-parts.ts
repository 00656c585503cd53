/** What an encoder computes, and its weights. @module */
import type { EncoderTraits } from './encoder-architectures.js';
import type { ExpertsShape } from './forward-shape.js';
import type { LayerExperts } from './model-weights.js';

export interface EncoderShape {
  layers: number;
  /** Numbers of a token between layers. */
  width: number;
  heads: number;
  kvHeads: number;
  headSize: number;
  /** Numbers inside a feed-forward layer. */
  feedForward: number;
  /** Of the norms. */
  epsilon: number;
  /** Tokens of a text. */
  contextLength: number;
  traits: EncoderTraits;
  /** Bases of RoPE, of layers that see all and of the others. */
  rope: { base: number; windowBase: number };
  /** By layer: tokens to each side that one sees; 0: all. */
  reach: readonly number[];
  activation: EncoderTraits['activation'];
  experts: ExpertsShape | undefined;
}

/** The weights of an encoder. */
export interface EncoderParts<Matrix, Vector> {
  /** A row for each token, position and kind of text. */
  tokens: Matrix;
  positions: Matrix | undefined;
  types: Matrix | undefined;
  norm: NormParts<Vector> | undefined;
  layers: readonly EncoderLayer<Matrix, Vector>[];
  outputNorm: NormParts<Vector> | undefined;
  /** What a pooled vector is multiplied by, one after the other. */
  dense: readonly Matrix[];
  /** What makes a score of a text's tokens. */
  score: ScoreParts<Matrix, Vector> | undefined;
}

export interface NormParts<Vector> {
  weight: Vector;
  bias: Vector | undefined;
}

/** A matrix and what is added to its products. */
export interface Projection<Matrix, Vector> {
  weight: Matrix;
  bias: Vector | undefined;
}

/** Of norms each architecture has some. */
export interface EncoderNorms<Vector> {
  attentionNorm: NormParts<Vector> | undefined;
  attentionPostNorm: NormParts<Vector> | undefined;
  /** Of what is already normed, with the layer's input once more. */
  secondNorm: NormParts<Vector> | undefined;
  queryNorm: NormParts<Vector> | undefined;
  keyNorm: NormParts<Vector> | undefined;
  feedForwardNorm: NormParts<Vector> | undefined;
  feedForwardPostNorm: NormParts<Vector> | undefined;
}

export interface EncoderLayer<Matrix, Vector> {
  query: Projection<Matrix, Vector>;
  key: Projection<Matrix, Vector>;
  value: Projection<Matrix, Vector>;
  output: Projection<Matrix, Vector>;
  norms: EncoderNorms<Vector>;
  /** Undefined: the layer has experts. */
  up: Projection<Matrix, Vector> | undefined;
  gate: Projection<Matrix, Vector> | undefined;
  down: Projection<Matrix, Vector> | undefined;
  router: Matrix | undefined;
  experts: LayerExperts<Matrix> | undefined;
}

export interface ScoreParts<Matrix, Vector> {
  /** Before the score. */
  dense: Projection<Matrix, Vector> | undefined;
  norm: NormParts<Vector> | undefined;
  output: Projection<Matrix, Vector>;
}
