/** The first tokens of a text. @module */

/** Characters that are enough for one token in nearly all texts. */
const CHARACTERS_PER_TOKEN = 8;

/** Tokens that the end of a piece may change, because the text goes on behind it. */
const MARGIN = 16;

/**
 * The first tokens of a text, without reading much more of it: a text may be megabytes long, and a tokenizer takes seconds
 * for that.
 * @param most of them, at least 1
 * @param encode gives the tokens of a text, without control tokens
 */
export function firstTokens(text: string, most: number, encode: (text: string) => number[]): number[] {
  for (let length = (most + MARGIN) * CHARACTERS_PER_TOKEN; length < text.length; length *= 2) {
    const tokens = encode(text.slice(0, length));
    if (tokens.length >= most + MARGIN) return tokens.slice(0, most);
  }
  return encode(text).slice(0, most);
}
