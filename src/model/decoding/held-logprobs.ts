/** Log-probabilities wait here until their tokens have become content. @module */
import type { TokenLogprob } from '../../core/events/token-logprob.js';

interface HeldToken {
  /** What of the token's text has not yet come out of the parser. */
  text: string;
  /** Absent when it was given out with the beginning of the text. */
  logprob: TokenLogprob | undefined;
}

/**
 * Keeps those of tokens whose text becomes content, and drops those of tags and of blanks around thinking and calls.
 */
export class HeldLogprobs {
  #tokens: HeldToken[] = [];

  /** A token went into the parser. @param text may be empty: it comes with a later token, or a stop sequence took it */
  hold(text: string, logprob: TokenLogprob): void {
    this.#tokens.push({ text, logprob });
  }

  /**
   * The log-probabilities of this content's tokens. Those of tokens held before it are dropped: they are no content.
   */
  release(content: string): TokenLogprob[] {
    const released: TokenLogprob[] = [];
    let left = content;
    for (let held = this.#tokens[0]; held; held = this.#tokens[0]) {
      if (left === '' && held.text !== '') break;
      if (left.startsWith(held.text)) {
        left = left.slice(held.text.length);
        this.#tokens.shift();
      } else if (held.text.startsWith(left)) {
        this.#tokens[0] = { text: held.text.slice(left.length), logprob: undefined };
        left = '';
      } else {
        left = this.#skip(held, left);
        continue;
      }
      if (held.logprob) released.push(held.logprob);
    }
    return released;
  }

  /** The text is over: the log-probabilities of tokens that a stop sequence took whole. */
  releaseRest(): TokenLogprob[] {
    const rest = this.#tokens.flatMap(({ text, logprob }) => (text === '' && logprob ? [logprob] : []));
    this.drop();
    return rest;
  }

  /** Forgets all tokens: their text is no content. */
  drop(): void {
    this.#tokens = [];
  }

  /** Skips what parsers leave out of the content (blanks, then whole tokens) or put between two texts (blanks). */
  #skip(held: HeldToken, left: string): string {
    const text = held.text.trimStart();
    const trimmed = left.trimStart();
    if (text === '' || (text === held.text && trimmed === left)) this.#tokens.shift();
    else this.#tokens[0] = { text, logprob: held.logprob };
    return text === '' ? left : trimmed;
  }
}
