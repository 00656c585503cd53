/** What a decoder computes, beside its weights. @module */
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
  /** Of the gate. */
  activation: 'silu' | 'gelu';
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
  rope: RopeShape;
  /** That of layers with a window, where there are any. */
  windowRope: RopeShape | undefined;
  layerShapes: readonly LayerShape[];
  /** Positions of a sequence. */
  contextLength: number;
  /** Activations are never rounded: slower, for comparisons. */
  exact: boolean;
}

/** What differs between layers. */
export interface LayerShape {
  /** Positions that a token sees, its own included; 0: all before it. */
  window: number;
  rope: 'usual' | 'window' | 'none';
}

/** Numbers of the widest row of a matrix. */
export function widestRow({ width, heads, headSize, feedForward }: ForwardShape): number {
  return Math.max(width, heads * headSize, feedForward);
}
