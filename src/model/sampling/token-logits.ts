/** The logits after a token: those of the whole vocabulary, or no more than decide about the next one. @module */
import type { Sampling } from '../../core/request/generation-request.js';

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

/** Below this temperature decoding is greedy, as is an absent temperature. */
const GREEDY_BELOW = 0.001;

/** True when no random number is needed: the most likely token is taken. */
export function isGreedy(sampling: Sampling): boolean {
  return (
    sampling.temperature === undefined ||
    sampling.temperature < GREEDY_BELOW ||
    sampling.topK === 1 ||
    (sampling.topP !== undefined && sampling.topP <= 0)
  );
}

/** Picking more than so many out of a vocabulary saves nothing. */
const MOST_GREATEST = 64;

/** The need of a choice that has neither grammar nor log-probabilities: these read all. */
export function logitsNeed(sampling: Sampling): LogitsNeed {
  const { temperature = 1, topP = 1, topK = 0, seed, logitBias = {}, repetitionPenalty = 1 } = sampling;
  if (repetitionPenalty !== 1 || Object.keys(logitBias).length > 0) return { type: 'all' };
  if (isGreedy(sampling)) return { type: 'greatest', count: 1 };
  if (topK < 1) return seed === undefined ? { type: 'draw', temperature, topP } : { type: 'all' };
  // One more than can be chosen: the sampler then cuts as it would cut the whole vocabulary.
  return topK < MOST_GREATEST ? { type: 'greatest', count: topK + 1 } : { type: 'all' };
}
