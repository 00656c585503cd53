/** The weights of a decoder. @module */
import type { PackedWeights } from './packed-kinds.js';

/** The matrices of a layer; which of them it has its {@link LayerShape} says. */
export interface LayerMatrices<Matrix> {
  query?: Matrix | undefined;
  key?: Matrix | undefined;
  value?: Matrix | undefined;
  /** Of what mixes positions, whatever it is. */
  output?: Matrix | undefined;
  gate?: Matrix | undefined;
  up?: Matrix | undefined;
  down?: Matrix | undefined;
  /** Recurrent layers: what goes in, what opens what comes out, and how much is kept and taken. */
  mixIn?: Matrix | undefined;
  mixGate?: Matrix | undefined;
  beta?: Matrix | undefined;
  alpha?: Matrix | undefined;
  /** Both of them, by heads of keys. */
  betaAlpha?: Matrix | undefined;
  /** Where attention has `output`. */
  mixOutput?: Matrix | undefined;
  router?: Matrix | undefined;
  sharedGate?: Matrix | undefined;
  sharedUp?: Matrix | undefined;
  sharedDown?: Matrix | undefined;
  /** A number for each token, which opens the expert that all take. */
  sharedOpening?: Matrix | undefined;
  inputGate?: Matrix | undefined;
  inputOutput?: Matrix | undefined;
}

/** The experts of a layer. */
export interface LayerExperts<Matrix> {
  gate: readonly Matrix[];
  up: readonly Matrix[];
  down: readonly Matrix[];
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
  /** [channels][taps], and one for each channel. */
  taps?: Vector | undefined;
  tapsBias?: Vector | undefined;
  /** Of a recurrent layer, for each head: added to how long it keeps, how fast it forgets, what goes through. */
  keeping?: Vector | undefined;
  decay?: Vector | undefined;
  skip?: Vector | undefined;
  mixNorm?: Vector | undefined;
  /** A logit for each head that no position has. */
  sinks?: Vector | undefined;
  routerBias?: Vector | undefined;
  /** Added where experts are chosen, and only there. */
  choiceBias?: Vector | undefined;
  /** [experts][numbers]. */
  expertGateBias?: Vector | undefined;
  expertUpBias?: Vector | undefined;
  expertDownBias?: Vector | undefined;
  /** Gemma 4: norms of experts and of what is beside them, factors of the router's input and of what experts give. */
  routerScale?: Vector | undefined;
  expertNorm?: Vector | undefined;
  expertPostNorm?: Vector | undefined;
  densePostNorm?: Vector | undefined;
  expertScale?: Vector | undefined;
  inputPostNorm?: Vector | undefined;
  outputScale?: Vector | undefined;
}

/** Those that a layer has. */
export function partsOf<Part>(parts: LayerMatrices<Part> | LayerVectors<Part>): Part[] {
  return Object.values(parts as Record<string, Part | undefined>).filter((part) => part !== undefined);
}

/** Rows of a table that is not in memory. */
export interface TableRows {
  /** Brings rows into memory; undefined: they are there, until the next call. */
  bring(tokens: readonly number[]): Promise<void> | undefined;
  /** Address of 32-bit floats. */
  rowOf(token: number): number;
}

export type InputTable = PackedWeights | TableRows;

/** What all layers of Gemma 4 get of a token beside what the layer before gives. */
export interface LayerInputs<Matrix, Vector, Table = Matrix> {
  table: Table;
  projection: Matrix;
  norm: Vector;
}

/** In the kernels' memory; vectors are addresses of 32-bit floats. */
export type Layer = LayerMatrices<PackedWeights> &
  LayerVectors<number> & { experts?: LayerExperts<PackedWeights> | undefined };

export interface ModelWeights {
  /** A row for each token. */
  embedding: PackedWeights;
  layers: readonly Layer[];
  outputNorm: number;
  /** What gives logits; the embedding itself in models that have it twice in one. */
  head: PackedWeights;
  layerInputs?: LayerInputs<PackedWeights, number, InputTable> | undefined;
}
