/** How likely each of several texts is as an answer: sums of the log-probabilities of their tokens. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { TokenLogits } from '../sampling/token-logits.js';

/** What the logits must be read for. */
export interface OptionScoresOptions {
  /** Ids of each option's tokens. */
  options: readonly (readonly number[])[];
  /** Tokens that end a turn, where the end counts as the last token of every option; else none. */
  endTokens: readonly number[];
  vocabularySize: number;
}

/** Adds up what is read, position by position. A position is the part of an option before it. */
export class OptionScores {
  readonly #options: OptionScoresOptions;
  readonly #sums: number[];
  readonly #readPositions = new Set<string>();

  constructor(options: OptionScoresOptions) {
    this.#options = options;
    this.#sums = options.options.map(({ length }) => (length === 0 ? -Infinity : 0));
  }

  /** Beginnings of options after which logits are needed, none of which another one begins with. */
  continuations(): number[][] {
    const { options, endTokens } = this.#options;
    const all = options.map((tokens) => (endTokens.length > 0 ? [...tokens] : tokens.slice(0, -1)));
    const longest = all.toSorted((left, right) => right.length - left.length);
    const needed: number[][] = [];
    const covered = new Set<string>();
    for (const tokens of longest) {
      if (tokens.length === 0 || covered.has(keyOf(tokens))) continue;
      needed.push(tokens);
      for (let length = 1; length <= tokens.length; length++) covered.add(keyOf(tokens.slice(0, length)));
    }
    return needed;
  }

  /** @param before tokens that stand between the prompt and these logits: a beginning of one of the options */
  read(before: readonly number[], logits: TokenLogits): void {
    const key = keyOf(before);
    if (this.#readPositions.has(key)) return;
    this.#readPositions.add(key);
    if (!(logits instanceof Float32Array))
      throw new InferenceError('internal', 'The engine did not return its logits.');
    const { options, endTokens, vocabularySize } = this.#options;
    const known = logits.subarray(0, vocabularySize);
    const total = logSumOfExp(known);
    for (const [index, tokens] of options.entries()) {
      if (tokens.length < before.length || !before.every((token, index) => tokens[index] === token)) continue;
      const next = tokens[before.length];
      if (next !== undefined) this.#sums[index]! += known[next]! - total;
      else if (endTokens.length > 0) this.#sums[index]! += logSumOfExp(endTokens.map((end) => known[end]!)) - total;
    }
  }

  /** The share of each option among all. Equal shares where none is possible. */
  probabilities(): number[] {
    const total = logSumOfExp(this.#sums);
    if (!Number.isFinite(total)) return this.#sums.map(() => 1 / this.#sums.length);
    const shares = this.#sums.map((sum) => Math.exp(sum - total));
    // What rounding left: the shares must add up to 1.
    const whole = shares.reduce((sum, share) => sum + share, 0);
    return shares.map((share) => share / whole);
  }
}

function keyOf(tokens: readonly number[]): string {
  return tokens.join();
}

/** In 64 bits, whatever the logits have. NaN counts as impossible. */
function logSumOfExp(values: ArrayLike<number>): number {
  let greatest = -Infinity;
  for (let index = 0; index < values.length; index++) if (values[index]! > greatest) greatest = values[index]!;
  if (!Number.isFinite(greatest)) return greatest;
  let sum = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    if (value > -Infinity) sum += Math.exp(value - greatest);
  }
  return greatest + Math.log(sum);
}
