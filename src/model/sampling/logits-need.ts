/** What sampling reads of the logits: often far less than all of them, which an engine on a GPU then need not hand over. @module */
import type { Sampling } from '../../core/request/generation-request.js';
import { isGreedy } from './sample-token.js';
import type { LogitsNeed } from './token-logits.js';

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
