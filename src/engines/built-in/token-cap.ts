/** Keeps a limit of tokens on text that comes in pieces of unknown size. @module */

/** UTF-8 bytes of a UTF-16 code unit at most, and so tokens. */
const MAX_TOKENS = 3;

/** What is left of a piece. */
export interface CappedPiece {
  text: string;
  /** The limit is reached: nothing may follow. */
  isFull: boolean;
}

/** Measures the text only when it may have reached the limit. */
export class TokenCap {
  readonly #limit: number;
  readonly #measure: (text: string) => Promise<number>;
  #text = '';
  /** Characters of a text that may be too long. */
  #checkAt: number;

  /** @param limit at least 1. @param measure tokens of a text */
  constructor(limit: number, measure: (text: string) => Promise<number>) {
    this.#limit = limit;
    this.#measure = measure;
    this.#checkAt = limit / MAX_TOKENS;
  }

  /** The piece, cut where the limit is reached. */
  async take(piece: string): Promise<CappedPiece> {
    const whole = this.#text + piece;
    if (whole.length < this.#checkAt) return this.#accept(piece);
    const tokens = await this.#measure(whole);
    this.#checkAt = whole.length + (this.#limit - tokens) / MAX_TOKENS;
    if (tokens < this.#limit) return this.#accept(piece);
    if (tokens === this.#limit) return this.#accept(piece, { isFull: true });
    // The longest beginning of the piece that fits.
    const characters = Array.from(piece);
    let fits = 0;
    for (let tooMany = characters.length; tooMany - fits > 1;) {
      const middle = (fits + tooMany) >> 1;
      if ((await this.#measure(this.#text + characters.slice(0, middle).join(''))) <= this.#limit) fits = middle;
      else tooMany = middle;
    }
    return this.#accept(characters.slice(0, fits).join(''), { isFull: true });
  }

  #accept(text: string, { isFull = false } = {}): CappedPiece {
    this.#text += text;
    return { text, isFull };
  }
}
