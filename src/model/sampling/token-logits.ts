/** The logits after a token: those of the whole vocabulary, or no more than decide about the next one. @module */

/** The greatest logits. */
export interface GreatestLogits {
  /** Token ids, ascending; of equal logits the lowest ids are there. */
  tokens: ArrayLike<number>;
  /** The logit of each. */
  values: Float32Array;
}

/** Of the whole vocabulary by token id, or the greatest. */
export type TokenLogits = Float32Array | GreatestLogits;

/**
 * What decides about the next token: all logits; the `count` greatest; or, where no seed pins the random numbers, any
 * draw with this temperature and `topP`, which an engine may make itself. An engine may always give all.
 */
export type LogitsNeed =
  | { type: 'all' }
  | { type: 'greatest'; count: number }
  | { type: 'draw'; temperature: number; topP: number };

/** What was given for one need serves another one too. */
export function serves(logits: TokenLogits, need: LogitsNeed): boolean {
  if (logits instanceof Float32Array) return true;
  return need.type === 'greatest' && logits.tokens.length >= need.count;
}
