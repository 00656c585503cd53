/** Tokens to text that is certain. @module */

/** What this needs of a tokenizer. */
export interface TextDecoder {
  decode(tokens: number[], options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean }): string;
}

/** Tokens that may wait for the rest of a character: four bytes, one token each, and some reserve. */
const MOST_WAITING = 8;

/** Grows by tokens; gives out pieces that are whole characters, without space at either end of the whole. */
export class TranscriptText {
  readonly #tokenizer: TextDecoder;
  #waiting: number[] = [];
  #space = '';
  #text = '';

  constructor(tokenizer: TextDecoder) {
    this.#tokenizer = tokenizer;
  }

  /** Everything given out so far. */
  get text(): string {
    return this.#text;
  }

  /** Appends a token and gives out what is certain now, perhaps nothing. */
  push(token: number): string {
    this.#waiting.push(token);
    const options = { skip_special_tokens: true, clean_up_tokenization_spaces: false };
    const piece = this.#tokenizer.decode(this.#waiting, options);
    if (piece.endsWith('\uFFFD') && this.#waiting.length < MOST_WAITING) return '';
    this.#waiting = [];
    return this.#release(piece);
  }

  /** Ends a window: a character that was cut in its middle is dropped. */
  endWindow(): void {
    this.#waiting = [];
  }

  /** Space is given out together with the text after it, so that the end has none. */
  #release(piece: string): string {
    const body = piece.trimEnd();
    const known = this.#text === '' && this.#space.trim() === '' ? body.trimStart() : this.#space + body;
    if (known.trim() === '') {
      this.#space += piece;
      return '';
    }
    this.#space = piece.slice(body.length);
    this.#text += known;
    return known;
  }
}
