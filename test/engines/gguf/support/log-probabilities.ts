/** What logits say of tokens. @module */

export function logProbabilities(logits: ArrayLike<number>): number[] {
  let top = -Infinity;
  for (let token = 0; token < logits.length; token++) top = Math.max(top, logits[token]!);
  let sum = 0;
  for (let token = 0; token < logits.length; token++) sum += Math.exp(logits[token]! - top);
  return Array.from(logits, (logit) => logit - top - Math.log(sum));
}

/** Largest difference of two tokens' log-probabilities; NaN where one is none. */
export function farthest(ours: ArrayLike<number>, theirs: ArrayLike<number>): number {
  const [a, b] = [logProbabilities(ours), logProbabilities(theirs)];
  return a.reduce((most, value, token) => {
    const difference = Math.abs(value - b[token]!);
    return difference > most || Number.isNaN(difference) ? difference : most;
  }, 0);
}

/** Mean difference of the log-probabilities of all tokens at all positions. */
export function meanDifference(ours: readonly ArrayLike<number>[], theirs: readonly ArrayLike<number>[]): number {
  let [sum, count] = [0, 0];
  for (const [position, logits] of ours.entries()) {
    const [a, b] = [logProbabilities(logits), logProbabilities(theirs[position]!)];
    for (const [token, value] of a.entries()) sum += Math.abs(value - b[token]!);
    count += a.length;
  }
  return sum / count;
}

/** The likeliest token. */
export function likeliest(logits: ArrayLike<number>): number {
  let best = 0;
  for (let token = 1; token < logits.length; token++) if (logits[token]! > logits[best]!) best = token;
  return best;
}
