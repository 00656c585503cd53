/** The constraint of a grammar: which tokens it allows, and which it forces. @module */
import type { TextTokenizer } from '../prompt/text-tokenizer.js';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ForcedTokenizer } from './forced-tokenizer.js';
import type { OpenLengths, TokenConstraint } from './token-constraint.js';
import { mayFollow, plainBeginnings } from './token-vocabulary.js';
import type { GrammarPosition } from './xgrammar.js';

/** One choice's state. Masks are made at most once per state. */
export class GrammarConstraint implements TokenConstraint {
  readonly #position: GrammarPosition;
  readonly #forced: ForcedTokenizer;
  readonly #endMask: Int32Array;
  readonly #tokenizer: TextTokenizer;
  readonly lengths: OpenLengths | undefined;
  #mask: Int32Array | undefined;
  #lastByte: number | undefined;

  constructor(tokenizer: TextTokenizer, position: GrammarPosition, forced: ForcedTokenizer, endMask: Int32Array) {
    this.#tokenizer = tokenizer;
    this.#position = position;
    this.#forced = forced;
    this.#endMask = endMask;
    this.lengths = position.isExact
      ? undefined
      : { allows: (token) => this.#keepsLengths(token), maskLogits: (logits) => this.#maskLengths(logits) };
  }

  maskLogits(logits: Float32Array): boolean {
    const mask = this.#allowed();
    let restricted = false;
    for (let word = 0; word < mask.length; word += 1) {
      const bits = mask[word]!;
      if (bits === -1) continue;
      const first = word * 32;
      const end = Math.min(first + 32, logits.length);
      if (bits === 0) logits.fill(-Infinity, first, end);
      else
        for (let token = first; token < end; token += 1)
          if (((bits >>> (token - first)) & 1) === 0) logits[token] = -Infinity;
      restricted = true;
    }
    return restricted;
  }

  accept(token: number): void {
    this.#mask = undefined;
    if (!this.#position.accept(token))
      throw new InferenceError('internal', 'The model chose a token that its grammar does not allow.');
    this.#lastByte = this.#tokenizer.bytesOf(token).at(-1);
  }

  forcedTokens(): number[] {
    const text = this.#forcedText();
    if (text === '') return [];
    const tokens = this.#forced.tokensOf(text);
    return tokens.slice(0, this.#position.countAllowed(tokens));
  }

  likelyTokens(): number[] {
    const text = this.#forcedText();
    return text === '' ? [] : this.#forced.likelyTokensOf(text);
  }

  isComplete(): boolean {
    const mask = this.#allowed();
    let any = false;
    for (let word = 0; word < mask.length; word += 1) {
      const bits = mask[word]!;
      if ((bits & ~this.#endMask[word]!) !== 0) return false;
      if (bits !== 0) any = true;
    }
    return any;
  }

  dispose(): void {
    this.#position.dispose();
  }

  #keepsLengths(token: number): boolean {
    return this.#tokenizer.endTokens.has(token) || this.#position.allows(token);
  }

  #maskLengths(logits: Float32Array): void {
    const room = this.#position.room();
    const beginnings = plainBeginnings(this.#tokenizer);
    for (let token = 0; token < logits.length; token += 1) {
      if (logits[token] === -Infinity) continue;
      const isTooLong = room !== undefined && beginnings[token]! > room;
      if (isTooLong || !this.#keepsLengths(token)) logits[token] = -Infinity;
    }
  }

  #forcedText(): string {
    // The engine may stop in the middle of a character.
    return this.#position.forcedText().split('\uFFFD')[0] ?? '';
  }

  #allowed(): Int32Array {
    this.#mask ??= this.#onlyUtf8(this.#position.allowedTokens());
    return this.#mask;
  }

  /** Some first bytes of UTF-8 characters allow fewer second bytes than the grammar engine assumes. */
  #onlyUtf8(mask: Int32Array): Int32Array {
    const last = this.#lastByte;
    if (last !== 0xe0 && last !== 0xed && last !== 0xf0 && last !== 0xf4) return mask;
    for (let token = 0; token < this.#tokenizer.vocabularySize; token += 1) {
      const first = this.#tokenizer.bytesOf(token)[0];
      if (first !== undefined && !mayFollow(last, first)) mask[token >>> 5]! &= ~(1 << (token & 31));
    }
    return mask;
  }
}

/** The end tokens as a bit mask like those of GrammarPosition. */
export function endTokenMask(tokenizer: TextTokenizer): Int32Array {
  const mask = new Int32Array(Math.ceil(tokenizer.vocabularySize / 32));
  for (const token of tokenizer.endTokens) mask[token >>> 5]! |= 1 << (token & 31);
  return mask;
}
