/** What a decoder computes, beside its weights. @module */
import type { Activation } from './architectures.js';
import type { KvShape } from './kv-pages.js';
import type { RopeShape } from './rope.js';

export interface ForwardShape extends KvShape {
  /** Numbers of a token between layers. */
  width: number;
  /** Heads of queries; a multiple of `kvHeads`. */
  heads: number;
  /** Numbers inside a feed-forward layer. */
  feedForward: number;
  /** Tokens that have logits. */
  vocabulary: number;
  /** Of the norms. */
  epsilon: number;
  /** Of the gate, or what is inside the network. */
  activation: Activation;
  /** What is looked up for a token is multiplied by it. */
  embeddingScale: number;
  /** What attention and the feed-forward network add is multiplied by it. */
  residualScale: number;
  /** Scores are multiplied by it. */
  attentionScale: number;
  /** Scores are bent so that they stay below it; 0: they are not. */
  attentionCap: number;
  /** Logits are multiplied by it. */
  logitScale: number;
  /** As `attentionCap`. */
  logitCap: number;
  /** Queries and keys are normalized: each head, or all heads of a row together. */
  queryKeyNorm: 'head' | 'row' | undefined;
  /** Which numbers of a head are rotated with each other. */
  pairs: 'halves' | 'neighbours';
  /** Queries and keys are normalized behind RoPE. */
  normsRotated?: boolean | undefined;
  /** Each head of a query has a gate behind it. */
  isQueryGated?: boolean | undefined;
  /** A query is multiplied by 1 + scale x ln(1 + the whole part of its position / positions). */
  temperature?: { scale: number; positions: number } | undefined;
  /** Of layers with a state in the place of keys and values. */
  recurrent?: RecurrentShape | undefined;
  experts?: ExpertsShape | undefined;
  /** What each layer's activation needs beside its input: `xielu`. */
  curves?: readonly Curve[] | undefined;
  /** Numbers of a token's input to each layer: Gemma 4. */
  layerInput?: number | undefined;
  /** Values are normalized without weights. */
  normsValues?: boolean | undefined;
  rope: RopeShape;
  /** That of layers with a window, where there are any. */
  windowRope: RopeShape | undefined;
  layerShapes: readonly LayerShape[];
  /** Positions of a sequence. */
  contextLength: number;
  /** Activations are never rounded: slower, for comparisons. */
  exact: boolean;
}

/** Without what the entry decides, and what the tensors tell. */
export type PlainShape = Omit<ForwardShape, 'exact' | 'precision' | 'vocabulary'>;

/** What differs between layers. */
export interface LayerShape {
  /** Positions that a token sees, its own included; 0: all before it. */
  window: number;
  rope: 'usual' | 'window' | 'none';
  /** What it mixes positions with. @default 'attention' */
  mixer?: 'attention' | 'recurrent' | 'both' | 'none';
  /** Heads of keys and numbers of a head, where they are not those of all. */
  kvHeads?: number;
  headSize?: number;
  /** As that of all; 0: it has no such network. */
  feedForward?: number;
  /** It has no keys and values of its own, and takes those of another one. */
  kvFrom?: number;
  /** Its feed-forward network is experts. */
  isRouted?: boolean;
  /** Rows are normalized before it, as behind the last one: it is the first one once more. */
  isAgain?: boolean;
}

/** Layers whose state has a fixed size. */
export interface RecurrentShape {
  kind: 'convolution' | 'delta' | 'scan';
  /** Tokens that a convolution sees, and numbers of each. */
  taps: number;
  channels: number;
  /** Heads of the memory, and numbers of each. */
  heads: number;
  headSize: number;
  /** Heads that they share: of queries and keys, or B and C. */
  groups: number;
  /** Numbers of each of these. */
  size: number;
  /** Heads that share one are neighbours. */
  sharesKeys: boolean;
}

/** Numbers that a recurrent layer gives. */
export const recurrentWidth = ({ kind, channels, heads, headSize }: RecurrentShape): number =>
  kind === 'convolution' ? channels : heads * headSize;

/** Bytes of the state of a recurrent layer: of the convolution, and of the memory. */
export function recurrentBytes({ kind, taps, channels, heads, headSize, size }: RecurrentShape): [number, number] {
  return [(taps - 1) * channels * 4, kind === 'convolution' ? 0 : heads * headSize * size * 4];
}

export interface ExpertsShape {
  count: number;
  /** Those that a token takes, in each layer. */
  used: readonly number[];
  /** Numbers inside one of them, and inside the one that all take. */
  feedForward: number;
  sharedFeedForward: number;
  /** Numbers inside a network beside them that is not one of theirs. */
  beside?: number | undefined;
  gating: 'softmax' | 'sigmoid' | 'chosen';
  isNormed: boolean;
}

/** x > 0: a x^2 + c x; else (e^min(x, e) - 1 - x) b + c x. */
export interface Curve {
  a: number;
  b: number;
  c: number;
  e: number;
}

/** Numbers of the widest row of a matrix. */
export function widestRow({
  width,
  heads,
  headSize,
  feedForward,
  layerShapes,
  recurrent,
  experts,
  layerInput = 0,
}: ForwardShape): number {
  const inner = layerShapes.map((layer) => layer.feedForward ?? feedForward);
  const attended = layerShapes.map((layer) => heads * (layer.headSize ?? headSize));
  const routed = experts ? [experts.feedForward, experts.sharedFeedForward] : [];
  return Math.max(
    width,
    feedForward,
    layerInput,
    ...inner,
    ...attended,
    ...routed,
    recurrent ? recurrentWidth(recurrent) : 0,
  );
}
