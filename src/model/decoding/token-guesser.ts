/** Guesses the next tokens from what was said before: edits, quotes and records repeat long runs of it. @module */

/** So many tokens must have been seen in this order before; fewer are too often a coincidence. */
const ORDER = 3;

/** What one more token costs in a pass, as a share of a pass with one: measured 5 to 8 % on processors. */
const COST = 0.08;

const FEWEST = 2;
const MOST = 8;

/** Passes that guesses may lose before they pause, and so many tokens they pause at first. */
const CREDIT = 0.5;
const PAUSE = 32;

/**
 * Remembers where each run of three tokens occurred last. How many tokens are guessed follows how good the guesses are;
 * after bad ones it pauses, each time for longer, so that a text without repetitions loses next to nothing. It counts
 * and never looks at a clock: the same request is always guessed in the same way.
 */
export class TokenGuesser {
  readonly #vocabularySize: number;
  readonly #tokens: number[] = [];
  /** Index after the last occurrence of each run. */
  readonly #places = new Map<number, number>();
  #most = FEWEST;
  #credit = CREDIT;
  #pause = PAUSE;
  #quietUntil = 0;

  /** @param prompt counts as said */
  constructor(prompt: readonly number[], vocabularySize: number) {
    this.#vocabularySize = vocabularySize;
    for (const token of prompt) this.push(token);
  }

  /** Takes note of the next token. */
  push(token: number): void {
    const key = this.#lastRun();
    if (key >= 0) this.#places.set(key, this.#tokens.length);
    this.#tokens.push(token);
  }

  /**
   * What probably follows; empty: nobody knows, or it does not pay.
   * @param limit most tokens
   */
  guess(limit: number): number[] {
    if (this.#tokens.length < this.#quietUntil) return [];
    const place = this.#places.get(this.#lastRun());
    return place === undefined ? [] : this.#tokens.slice(place, place + Math.min(limit, this.#most));
  }

  /** How many of the guessed tokens came true. */
  learn(right: number, guessed: number): void {
    this.#credit = Math.min(1, this.#credit + right - guessed * COST);
    this.#most = right === guessed ? Math.min(MOST, this.#most * 2) : Math.max(FEWEST, right);
    if (this.#credit >= 0) return;
    this.#quietUntil = this.#tokens.length + this.#pause;
    this.#pause *= 2;
    this.#credit = 0;
  }

  /** A number for the last tokens; -1: there are too few. Exact for vocabularies of up to 200,000 tokens. */
  #lastRun(): number {
    const { length } = this.#tokens;
    if (length < ORDER) return -1;
    let key = 0;
    for (let index = length - ORDER; index < length; index++) key = key * this.#vocabularySize + this.#tokens[index]!;
    return key;
  }
}
