import { expect, it } from 'vitest';
import { plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import { tokenizePrompt, toTokenization } from '../../../src/language/prompt/tokenize-prompt.js';
import type { TextTokenizer } from '../../../src/language/prompt/text-tokenizer.js';

const encoder = new TextEncoder();
const PIECES = ['<s>', ' a', ' b', 'c', '</s>'];

/** As SentencePiece models have it: a space is put before the text, and a BOS token wanted. */
const tokenizer: TextTokenizer = {
  vocabularySize: PIECES.length,
  endTokens: new Set([4]),
  addedTokens: new Map([
    ['<s>', 0],
    ['</s>', 4],
  ]),
  encodeText: (text) => ` ${text}`.match(/ ?\w/g)!.map((piece) => PIECES.indexOf(piece)),
  bytesOf: (token) => encoder.encode(PIECES[token]),
  templateVariables: { bos_token: '<s>', eos_token: '</s>' },
  prefixTokens: [0],
};

const request = { ...plainGenerationRequest('m', { type: 'raw', text: '' }), addPrefix: true };
const text = ({ bytes }: { bytes: Uint8Array }): string => new TextDecoder().decode(bytes);

it('puts the prefix there where it is asked for, once', () => {
  const tokens = (prompt: string, addPrefix: boolean): number[] =>
    tokenizePrompt({ type: 'raw', text: prompt }, { ...request, addPrefix }, tokenizer);
  expect(tokens('a b', true)).toEqual([0, 1, 2]);
  expect(tokens('a b', false)).toEqual([1, 2]);
  expect(tokens('<s>a', true)).toEqual([0, 1]);
});

it('the space that the tokenizer has put in front is no part of the text', () => {
  const known = toTokenization([1, 2, 3], tokenizer);
  expect(text(known)).toBe('a bc');
  expect(known.ends).toEqual([1, 3, 4]);
  expect(text(toTokenization([0, 1], tokenizer))).toBe('<s> a');
  expect(text(toTokenization([], tokenizer))).toBe('');
});

it('a space that the text begins with stays where none is put in front', () => {
  const plain = { ...tokenizer, encodeText: () => [3] };
  expect(text(toTokenization([1, 3], plain))).toBe(' ac');
});

it('tells special tokens, and the template where there is one', () => {
  const { templateVariables: specialTokens } = tokenizer;
  expect(toTokenization([], tokenizer).tokenizer).toEqual({ specialTokens });
  const chatTemplate = '{{ messages }}';
  expect(toTokenization([], { ...tokenizer, chatTemplate }).tokenizer).toEqual({ specialTokens, chatTemplate });
});
