/** Logit bias and penalties, applied before sampling, and exact log-probabilities: the log-softmax of the logits. @module */
import type { Sampling } from '../../core/request/generation-request.js';
import { WrongOutput } from '../../core/errors/wrong-output.js';

/** Changes the logits of one choice in place. Keeps the set of tokens that were seen. */
export class LogitAdjuster {
  readonly #biasTokens: readonly number[];
  readonly #biases: readonly number[];
  readonly #penalty: number;
  readonly #seen: Uint8Array | undefined;
  readonly #seenTokens: number[] = [];
  readonly #presence: number;
  readonly #frequency: number;
  /** How often each token stands in the output. */
  readonly #counts = new Map<number, number>();

  /** @param promptTokens counted as seen by the repetition penalty */
  constructor(sampling: Sampling, promptTokens: readonly number[], vocabularySize: number) {
    const entries = Object.entries(sampling.logitBias ?? {})
      .map(([token, bias]): [number, number] => [Number(token), bias])
      .filter(([token, bias]) => Number.isInteger(token) && token >= 0 && token < vocabularySize && bias !== 0);
    this.#biasTokens = entries.map(([token]) => token);
    this.#biases = entries.map(([, bias]) => bias);
    this.#penalty = sampling.repetitionPenalty ?? 1;
    this.#presence = sampling.presencePenalty ?? 0;
    this.#frequency = sampling.frequencyPenalty ?? 0;
    if (this.#penalty !== 1) {
      this.#seen = new Uint8Array(vocabularySize);
      for (const token of promptTokens) this.#see(token);
    }
  }

  /** Adds the biases, then penalises every token seen so far, as the penalties say. */
  adjust(logits: Float32Array): void {
    for (let index = 0; index < this.#biasTokens.length; index++) {
      const token = this.#biasTokens[index]!;
      logits[token] = logits[token]! + this.#biases[index]!;
    }
    const penalty = this.#penalty;
    for (const token of this.#seenTokens) {
      const logit = logits[token]!;
      logits[token] = logit > 0 ? logit / penalty : logit * penalty;
    }
    for (const [token, count] of this.#counts)
      logits[token] = logits[token]! - this.#presence - count * this.#frequency;
  }

  /** Counts a token of the output. */
  accept(token: number): void {
    this.#see(token);
    if (this.#presence !== 0 || this.#frequency !== 0) this.#counts.set(token, (this.#counts.get(token) ?? 0) + 1);
  }

  #see(token: number): void {
    if (!this.#seen || token >= this.#seen.length || this.#seen[token] === 1) return;
    this.#seen[token] = 1;
    this.#seenTokens.push(token);
  }
}

/** Whether a request changes logits before they are sampled. */
export function adjustsLogits(sampling: Sampling): boolean {
  const { logitBias = {}, repetitionPenalty = 1, presencePenalty = 0, frequencyPenalty = 0 } = sampling;
  const isPenalised = repetitionPenalty !== 1 || presencePenalty !== 0 || frequencyPenalty !== 0;
  return isPenalised || Object.keys(logitBias).length > 0;
}

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
 * @throws WrongOutput when a logit is NaN or Infinity, or all are -Infinity: then none of them has a log-probability
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
  if (Number.isNaN(sum))
    throw new WrongOutput('its logits have no log-probabilities, because some are NaN or infinite');
  const normalizer = greatest + Math.log(sum);
  return { normalizer, top: tokens.map((token) => ({ token, logprob: Math.min(0, logits[token]! - normalizer) })) };
}

function insert(tokens: number[], token: number, logits: Float32Array, count: number): void {
  let position = tokens.length;
  while (position > 0 && logits[tokens[position - 1]!]! < logits[token]!) position -= 1;
  tokens.splice(position, 0, token);
  if (tokens.length > count) tokens.pop();
}
