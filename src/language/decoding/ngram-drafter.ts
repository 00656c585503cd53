/** Drafts the tokens that are likely to follow, from what followed the same n-gram before. @module */

/** Length of the n-grams. Shorter ones match by accident too often. */
const ORDER = 3;

/** Cost of one more token in a forward pass, as a fraction of a pass with one token. Measured: 5 to 8 % on CPUs. */
const COST = 0.08;

/** Limits of the number of drafted tokens. */
const MIN_LENGTH = 2;
const MAX_LENGTH = 8;

/** Forward passes that rejected drafts may cost before drafting pauses, and the tokens of the first pause. */
const CREDIT = 0.5;
const PAUSE = 32;

/**
 * Remembers where each n-gram occurred last. Drafts grow while they are accepted. After rejected ones drafting pauses,
 * each time for longer, so that a text without repetitions loses almost nothing. It uses no clock: the same request
 * always gets the same drafts.
 */
export class NgramDrafter {
  readonly #vocabularySize: number;
  readonly #tokens: number[] = [];
  /** Index after the last occurrence of each n-gram. */
  readonly #positions = new Map<number, number>();
  #maxLength = MIN_LENGTH;
  #credit = CREDIT;
  #pause = PAUSE;
  #pausedUntil = 0;

  /** @param prompt the tokens before the answer */
  constructor(prompt: readonly number[], vocabularySize: number) {
    this.#vocabularySize = vocabularySize;
    for (const token of prompt) this.push(token);
  }

  /** Adds the next token of the answer. */
  push(token: number): void {
    const key = this.#lastNgram();
    if (key >= 0) this.#positions.set(key, this.#tokens.length);
    this.#tokens.push(token);
  }

  /**
   * The tokens that probably follow; empty when the n-gram is new, or while drafting pauses.
   * @param limit maximum number of tokens
   */
  draft(limit: number): number[] {
    if (this.#tokens.length < this.#pausedUntil) return [];
    const position = this.#positions.get(this.#lastNgram());
    return position === undefined ? [] : this.#tokens.slice(position, position + Math.min(limit, this.#maxLength));
  }

  /** Reports how many of the drafted tokens were accepted. */
  learn(accepted: number, drafted: number): void {
    this.#credit = Math.min(1, this.#credit + accepted - drafted * COST);
    this.#maxLength = accepted === drafted ? Math.min(MAX_LENGTH, this.#maxLength * 2) : Math.max(MIN_LENGTH, accepted);
    if (this.#credit >= 0) return;
    this.#pausedUntil = this.#tokens.length + this.#pause;
    this.#pause *= 2;
    this.#credit = 0;
  }

  /** A number for the last n-gram; -1 when there are too few tokens. Exact for vocabularies of up to 200,000 tokens. */
  #lastNgram(): number {
    const { length } = this.#tokens;
    if (length < ORDER) return -1;
    let key = 0;
    for (let index = length - ORDER; index < length; index++) key = key * this.#vocabularySize + this.#tokens[index]!;
    return key;
  }
}
