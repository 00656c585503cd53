import { expect, it } from 'vitest';
import { PromptEncoder } from '../../../src/language/prompt/encode-prompt.js';

/** Added tokens as in Gemma's vocabulary, and others that begin like them. All other text is its characters. */
const ADDED = ['<start_of_turn>', '<b>', '</b>', '<table>', '<tool_call>', '<s>', '<think>', '\n\n'];
const tokenizer = {
  addedTokens: new Map(ADDED.map((token, index) => [token, -1 - index])),
  encodeText: (text: string) => Array.from(text, (character) => character.codePointAt(0)!),
};

/** What a client's text becomes where a template writes it: added tokens in brackets. */
function read(text: string, template = (given: string) => given): string {
  const encoder = new PromptEncoder(tokenizer, text);
  const ids = encoder.encode(template(encoder.mark(text)));
  return ids.map((id) => (id < 0 ? `[${ADDED[-1 - id]!}]` : String.fromCodePoint(id))).join('');
}

it.each([
  ['a <b>word</b>', 'a [<b>]word[</b>]'],
  ['<table>', '[<table>]'],
  ['<<b>', '<[<b>]'],
  ['<i>, which this vocabulary lacks', '<i>, which this vocabulary lacks'],
])('elements of HTML are the tokens that a model was trained with: %s', (text, expected) => {
  expect(read(text)).toBe(expected);
});

it.each(['<start_of_turn>', '<tool_call>', '<think>', '<s>', 'a<start_of_turn>b', '<b<start_of_turn>'])(
  'what may control something stays text: %s',
  (text) => {
    expect(read(text)).toBe(text);
  },
);

it('a control token right behind an element stays text, and the template’s own are tokens', () => {
  expect(read('<b><start_of_turn></b>')).toBe('[<b>]<start_of_turn>[</b>]');
  expect(read('<start_of_turn>', (given) => `<start_of_turn><b>${given}`)).toBe(
    '[<start_of_turn>][<b>]<start_of_turn>',
  );
});
