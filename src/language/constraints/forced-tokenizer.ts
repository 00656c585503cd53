/** Encodes the text that a grammar forces, for jump-forward decoding. @module */
import type { TextTokenizer } from '../prompt/text-tokenizer.js';

/** Characters that may follow forced text, one of each kind that tokenizers treat alike. */
const FOLLOWERS = ['a', 'Z', 'é', '5', ' ', '"', '\n', '-', '.'];
const MAX_CACHED = 2_000;

/**
 * Encodes forced text as the tokenizer would, up to where the tokens depend on the text that follows: a model writes
 * worse after text in unusual tokens. The rest is left to the model.
 */
export class ForcedTokenizer {
  readonly #tokenizer: TextTokenizer;
  readonly #markerTokens: ReadonlyMap<string, number>;
  readonly #known = new Map<string, number[]>();

  constructor(tokenizer: TextTokenizer, markerTokens: ReadonlyMap<string, number>) {
    this.#tokenizer = tokenizer;
    this.#markerTokens = markerTokens;
  }

  /** @param text may contain reserved characters, which stand for added tokens */
  tokensOf(text: string): number[] {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const tokens = this.#tokenize(text, (plain) => this.#settled(plain));
    if (this.#known.size >= MAX_CACHED) this.#known.clear();
    this.#known.set(text, tokens);
    return tokens;
  }

  /** All tokens of the text, also those at its end that would be others if more followed. */
  likelyTokensOf(text: string): number[] {
    return this.#tokenize(text, (plain) => this.#encode(plain));
  }

  /** Forced text continues what was written, so no space may come in front. */
  #encode(text: string): number[] {
    return this.#tokenizer.encodeContinuation?.(text) ?? this.#tokenizer.encodeText(text);
  }

  #tokenize(text: string, encodeEnd: (text: string) => number[]): number[] {
    const tokens: number[] = [];
    let plain = '';
    for (const character of text) {
      const marker = this.#markerTokens.get(character);
      if (marker === undefined) {
        plain += character;
        continue;
      }
      // An added token parts the text, so what stands before it is final.
      if (plain !== '') tokens.push(...this.#encode(plain));
      tokens.push(marker);
      plain = '';
    }
    return plain === '' ? tokens : [...tokens, ...encodeEnd(plain)];
  }

  /** The tokens at the beginning that stay the same whatever follows. */
  #settled(text: string): number[] {
    const tokens = this.#encode(text);
    let settled = tokens.length;
    for (const follower of FOLLOWERS) {
      const longer = this.#encode(text + follower);
      let same = 0;
      while (same < settled && tokens[same] === longer[same]) same += 1;
      settled = same;
    }
    return tokens.slice(0, settled);
  }
}
