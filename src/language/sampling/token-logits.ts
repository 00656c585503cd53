/** Logits after a token: of the whole vocabulary, or only those that sampling needs. @module */
import type { Sampling } from '../../core/request/generation-request.js';
import { adjustsLogits } from './adjust-logits.js';
import type { AnswerRandom } from './random.js';

/** The greatest logits. */
export interface GreatestLogits {
  /** Token ids, ascending; of equal logits the lowest ids are there. */
  tokens: ArrayLike<number>;
  /** The logit of each. */
  values: Float32Array;
}

/** Tokens that the engine drew. */
interface SampledTokens {
  /** For each choice that goes on from here; -1 where the model gave no score to any token. */
  sampled: readonly number[];
}

/** Of the whole vocabulary by token id, the greatest, or what was sampled with them. */
export type TokenLogits = Float32Array | GreatestLogits | SampledTokens;

/** What tokens are sampled with, all of it given. */
export type SampleSettings = Required<Pick<Sampling, 'temperature' | 'topP' | 'minP'>>;

/** Only a sampled token is read. */
export interface SampleRequest extends SampleSettings {
  type: 'sample';
  /** The numbers of each choice. Where they decide, they must do so as in `TokenSampler`. */
  random: readonly AnswerRandom[];
  /** No other numbers may decide. */
  seeded: boolean;
}

/** What a token is drawn by where it is one of the `topK` most likely. */
interface DrawSettings extends SampleSettings {
  topK: number;
  /** The numbers of each choice. */
  random: readonly AnswerRandom[];
}

/**
 * Which logits sampling reads: all, the `count` greatest, or none but what sampling needs. An engine may always give all, or a
 * token that it drew by `draw`.
 */
export type LogitsNeed =
  | { type: 'all'; draw?: DrawSettings }
  | { type: 'greatest'; count: number; draw?: DrawSettings }
  | SampleRequest;

/** Whether given logits are enough for another need. */
export function serves(logits: TokenLogits, need: LogitsNeed): boolean {
  if (logits instanceof Float32Array) return true;
  return need.type === 'greatest' && 'tokens' in logits && logits.tokens.length >= need.count;
}

/** The logits for one of several choices that go on from the same place. They may be changed. */
export function logitsFor(choice: number, logits: TokenLogits): TokenLogits {
  if (logits instanceof Float32Array) return logits.slice();
  return 'sampled' in logits ? { sampled: [logits.sampled[choice]!] } : logits;
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

/**
 * The need of choices without grammar and log-probabilities, which read all logits.
 * @param random of each choice
 */
export function logitsNeed(sampling: Sampling, random: readonly AnswerRandom[]): LogitsNeed {
  const { temperature = 1, topP = 1, topK = 0, minP = 0, seed } = sampling;
  if (adjustsLogits(sampling)) return { type: 'all' };
  if (isGreedy(sampling)) return { type: 'greatest', count: 1 };
  if (topK < 1) return { type: 'sample', temperature, topP, minP, random, seeded: seed !== undefined };
  const draw = { temperature, topP, minP, topK, random };
  // One more than can be chosen: the sampler then cuts as it would cut the whole vocabulary.
  return topK < MAX_GREATEST ? { type: 'greatest', count: topK + 1, draw } : { type: 'all', draw };
}
