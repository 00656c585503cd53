/** Greedy choice among the tokens that may come next. @module */

/** The likeliest token and how sure the model is. */
export interface Choice {
  token: number;
  /** Natural logarithm of its probability among the allowed tokens. */
  logprob: number;
}

/**
 * The likeliest of the tokens 0 to `limit` (exclusive) that are not suppressed. Text comes first in Whisper's
 * vocabularies, then the end token, then the special ones, so a limit keeps times and languages out of the text.
 */
export function chooseToken(logits: Float32Array, limit: number, suppressed: ReadonlySet<number>): Choice {
  let token = limit - 1;
  let highest = -Infinity;
  for (let id = 0; id < limit; id++) {
    if (logits[id]! > highest && !suppressed.has(id)) {
      highest = logits[id]!;
      token = id;
    }
  }
  let sum = 0;
  for (let id = 0; id < limit; id++) if (!suppressed.has(id)) sum += Math.exp(logits[id]! - highest);
  return { token, logprob: -Math.log(sum) };
}

/** The probability of one token among all. */
export function probabilityOf(logits: Float32Array, token: number): number {
  let highest = -Infinity;
  for (const logit of logits) highest = Math.max(highest, logit);
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - highest);
  return Math.exp(logits[token]! - highest) / sum;
}

/** The likeliest of a few tokens. */
export function likeliestOf<Key>(logits: Float32Array, tokens: ReadonlyMap<Key, number>): Key | undefined {
  let best: Key | undefined;
  let highest = -Infinity;
  for (const [key, token] of tokens) {
    if (logits[token]! > highest) {
      highest = logits[token]!;
      best = key;
    }
  }
  return best;
}

/** Repetitions of a phrase that no speaker makes. */
const MOST_REPETITIONS = 5;

/** A phrase counts from this many tokens in all, so that "no, no, no" passes. */
const FEWEST_REPEATED = 16;

/** True when the text ends in the same few tokens again and again: the model is caught in a loop. */
export function isLooping(tokens: readonly number[]): boolean {
  for (let period = 1; period * MOST_REPETITIONS <= tokens.length; period++) {
    const length = Math.max(period * MOST_REPETITIONS, FEWEST_REPEATED);
    if (length > tokens.length) continue;
    const start = tokens.length - length;
    let same = true;
    for (let i = start; i + period < tokens.length && same; i++) same = tokens[i] === tokens[i + period];
    if (same) return true;
  }
  return false;
}
