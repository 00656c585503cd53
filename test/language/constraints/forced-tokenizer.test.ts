import { describe, expect, it } from 'vitest';
import { ForcedTokenizer } from '../../../src/language/constraints/forced-tokenizer.js';
import { byteTokenizer } from '../decoding/fake-text-engine.js';

/** A quote and what follows it are one token, as tokenizers have learnt it of JSON. */
const MERGED = 1000;
const tokenizer = {
  ...byteTokenizer,
  encodeText: (text: string): number[] =>
    (text.match(/"[a-zA-Z]|[\s\S]/g) ?? []).map((piece) => (piece.length > 1 ? MERGED : 0) + piece.charCodeAt(0)),
};
const code = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));

describe('ForcedTokenizer', () => {
  const forced = new ForcedTokenizer(tokenizer, new Map([['\uE000', 7]]));

  it('leaves off at the end what would be other tokens if more followed, and guesses it', () => {
    expect(forced.tokensOf('{: "')).toEqual(code('{: '));
    expect(forced.likelyTokensOf('{: "')).toEqual(code('{: "'));
    // What was left off before is all that is left now.
    expect(forced.tokensOf('"')).toEqual([]);
    expect(forced.likelyTokensOf('"')).toEqual(code('"'));
  });

  it('writes added tokens as themselves, which part the text', () => {
    expect(forced.tokensOf('"\uE000')).toEqual([...code('"'), 7]);
    expect(forced.likelyTokensOf('\uE000"')).toEqual([7, ...code('"')]);
  });
});
