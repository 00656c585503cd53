/** Exact log-probabilities of tokens: the log-softmax of the logits. @module */

/** Natural logarithms, at most 0. */
export interface LogProbabilities {
  /** The most likely tokens, best first, lower ids first among equals. */
  top: { token: number; logprob: number }[];
  /** Subtract it from a logit to get that token's log-probability. */
  normalizer: number;
}

/**
 * Reads the whole vocabulary once or twice; sorts nothing but the `count` best.
 * @param count how many tokens `top` holds at most, 0 to 20
 */
export function logProbabilities(logits: Float32Array, count: number): LogProbabilities {
  const tokens: number[] = [];
  let greatest = -Infinity;
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token]!;
    if (logit > greatest) greatest = logit;
    if (count > 0 && logit > -Infinity && (tokens.length < count || logit > logits[tokens[count - 1]!]!)) {
      insert(tokens, token, logits, count);
    }
  }
  let sum = 0;
  for (let token = 0; token < logits.length; token++) sum += Math.exp(logits[token]! - greatest);
  const normalizer = greatest + Math.log(sum);
  return { normalizer, top: tokens.map((token) => ({ token, logprob: Math.min(0, logits[token]! - normalizer) })) };
}

function insert(tokens: number[], token: number, logits: Float32Array, count: number): void {
  let place = tokens.length;
  while (place > 0 && logits[tokens[place - 1]!]! < logits[token]!) place -= 1;
  tokens.splice(place, 0, token);
  if (tokens.length > count) tokens.pop();
}
