/** Texts that are so long that not even their number of tokens should be found out. @module */

/** Characters per token that no language exceeds on the average; shorter texts are simply encoded. */
const CHARACTERS_PER_TOKEN = 8;

/** Characters that are encoded at once: tokenizers take several times as long per character for very long texts. */
const PIECE = 8_192;

/**
 * Whether texts have more tokens than `limit`, looked at only where they are long enough that they may have many times as
 * many. Encodes them piece by piece and stops as soon as it is known.
 * @param countTokens of a piece; pieces end anywhere, so what may be one token across their ends is not counted twice
 */
export function isFarLonger(texts: readonly string[], countTokens: (text: string) => number, limit: number): boolean {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters < limit * CHARACTERS_PER_TOKEN) return false;
  let tokens = 0;
  for (const text of texts) {
    for (let start = 0; start < text.length; start += PIECE) {
      const inPiece = countTokens(text.slice(start, start + PIECE));
      tokens += start === 0 ? inPiece : Math.max(0, inPiece - 1);
      if (tokens > limit) return true;
    }
  }
  return false;
}
