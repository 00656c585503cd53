/** Logits after a token: of the whole vocabulary, or only those that sampling needs. @module */
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
 * Which logits sampling reads: all, the `count` greatest, or, without a seed, only a sampled token, which an engine may draw
 * itself with this temperature and `topP`. An engine may always give all.
 */
export type LogitsNeed =
  | { type: 'all' }
  | { type: 'greatest'; count: number }
  | { type: 'draw'; temperature: number; topP: number };

/** Whether given logits are enough for another need. */
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

/** Selecting more than this many of a vocabulary saves nothing. */
const MAX_GREATEST = 64;

/** The need of a choice without grammar and log-probabilities, which read all logits. */
export function logitsNeed(sampling: Sampling): LogitsNeed {
  const { temperature = 1, topP = 1, topK = 0, minP = 0, seed, logitBias = {}, repetitionPenalty = 1 } = sampling;
  if (repetitionPenalty !== 1 || Object.keys(logitBias).length > 0) return { type: 'all' };
  if (isGreedy(sampling)) return { type: 'greatest', count: 1 };
  if (topK < 1 && minP > 0) return { type: 'all' };
  if (topK < 1) return seed === undefined ? { type: 'draw', temperature, topP } : { type: 'all' };
  // One more than can be chosen: the sampler then cuts as it would cut the whole vocabulary.
  return topK < MAX_GREATEST ? { type: 'greatest', count: topK + 1 } : { type: 'all' };
}
