/** Decodes the bytes of tokens to text, also for characters that span several tokens. @module */
import type { TextTokenizer } from '../prompt/text-tokenizer.js';

/**
 * Turns the bytes of consecutive tokens into text. Bytes of an unfinished character wait for the next token; bytes that
 * can never become a character show as U+FFFD. The concatenated text is the same for every way of cutting the bytes.
 */
export class TokenTextDecoder {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** Text that is certain after these bytes; may be empty. */
  push(bytes: Uint8Array): string {
    return this.#decoder.decode(bytes, { stream: true });
  }

  /** What an unfinished character leaves behind: U+FFFD or nothing. */
  end(): string {
    return this.#decoder.decode();
  }
}

/** The text of whole tokens, special ones literally. */
export function textOfTokens(tokens: readonly number[], tokenizer: Pick<TextTokenizer, 'bytesOf'>): string {
  const decoder = new TokenTextDecoder();
  return tokens.map((token) => decoder.push(tokenizer.bytesOf(token))).join('') + decoder.end();
}
