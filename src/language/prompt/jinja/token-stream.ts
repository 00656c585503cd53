/** Goes through the tokens of a template. @module */
import type { Token, TokenType } from './read-tokens.js';

export class TokenStream {
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get token(): Token {
    return this.#tokens[this.#index]!;
  }

  next(): Token {
    const { token } = this;
    if (this.#index < this.#tokens.length - 1) this.#index += 1;
    return token;
  }

  at(type: TokenType, ...texts: readonly string[]): boolean {
    return isToken(this.token, type, texts);
  }

  /** Skips a token of this kind, if it comes next. */
  skip(type: TokenType, ...texts: readonly string[]): boolean {
    const found = this.at(type, ...texts);
    if (found) this.next();
    return found;
  }

  /** @throws SyntaxError when another token comes next */
  expect(type: TokenType, ...texts: readonly string[]): string {
    if (this.at(type, ...texts)) return this.next().text;
    const { type: found, text } = this.token;
    throw new SyntaxError(`The template has ${text === '' ? found : `\`${text}\``} in place of ${texts[0] ?? type}.`);
  }

  /** Whether the token behind the next one is of this kind. */
  isNext(type: TokenType, ...texts: readonly string[]): boolean {
    const next = this.#tokens[this.#index + 1];
    return next !== undefined && isToken(next, type, texts);
  }
}

function isToken(token: Token, type: TokenType, texts: readonly string[]): boolean {
  return token.type === type && (texts.length === 0 || texts.includes(token.text));
}
