import { describe, expect, it } from 'vitest';
import { firstTokens } from '../../../../src/language/ranking/first-tokens.js';
import { PairTemplate, type TokenizerFile } from '../../../../src/engines/transformers/ranking/pair-template.js';

const QUERY = [10, 11];
const DOCUMENT = [20, 21, 22];

const special = (id: string, type: number) => ({ SpecialToken: { id, type_id: type } });
const sequence = (id: 'A' | 'B', type: number) => ({ Sequence: { id, type_id: type } });

/** As `tokenizer.json` of BERT's fast tokenizers has it. */
const bertTemplate = {
  type: 'TemplateProcessing',
  pair: [special('[CLS]', 0), sequence('A', 0), special('[SEP]', 0), sequence('B', 1), special('[SEP]', 1)],
  special_tokens: { '[CLS]': { ids: [1] }, '[SEP]': { ids: [2] } },
};
/** As that of XLM-RoBERTa. */
const xlmTemplate = {
  type: 'TemplateProcessing',
  pair: [
    special('<s>', 0),
    sequence('A', 0),
    ...['</s>', '</s>'].map((id) => special(id, 0)),
    sequence('B', 0),
    special('</s>', 0),
  ],
  special_tokens: { '<s>': { ids: [0] }, '</s>': { ids: [2] } },
};
const words = { cls: ['[CLS]', 1] as const, sep: ['[SEP]', 2] as const };

const BERT = { ids: [1, 10, 11, 2, 20, 21, 22, 2], types: [0, 0, 0, 0, 1, 1, 1, 1], length: 8 };

describe('a pair', () => {
  it.each<[string, TokenizerFile['post_processor'], object]>([
    ['a template', bertTemplate, BERT],
    ['a template in a sequence', { type: 'Sequence', processors: [{ type: 'ByteLevel' }, bertTemplate] }, BERT],
    [
      'a template without types',
      xlmTemplate,
      { ids: [0, 10, 11, 2, 2, 20, 21, 22, 2], types: Array.from({ length: 9 }, () => 0) },
    ],
    ['the processor of BERT', { type: 'BertProcessing', ...words }, BERT],
    [
      'the processor of RoBERTa, with two separators',
      { type: 'RobertaProcessing', ...words },
      { ids: [1, 10, 11, 2, 2, 20, 21, 22, 2], types: Array.from({ length: 9 }, () => 0) },
    ],
    ['no control tokens', { type: 'ByteLevel' }, { ids: [10, 11, 20, 21, 22], types: [0, 0, 1, 1, 1] }],
    ['no processor', null, { ids: [10, 11, 20, 21, 22], types: [0, 0, 1, 1, 1] }],
  ])('is put together by %s', (_, processor, expected) => {
    expect(new PairTemplate({ post_processor: processor! }).join(QUERY, DOCUMENT)).toMatchObject(expected);
  });

  it('[N06] with an empty document still has both separators', () => {
    const template = new PairTemplate({ post_processor: bertTemplate });
    expect(template.join(QUERY, []).ids).toEqual([1, 10, 11, 2, 2]);
    expect(template.controlTokens).toBe(3);
  });
});

describe('firstTokens', () => {
  /** A token per word. */
  const encode = (text: string): number[] => text.split(' ').map((word) => word.length);
  const text = Array.from({ length: 5000 }, (_, index) => 'x'.repeat(1 + (index % 30))).join(' ');

  it('gives the tokens that the whole text begins with', () => {
    for (const most of [1, 2, 7, 100, 4999, 9000]) {
      expect(firstTokens(text, most, encode)).toEqual(encode(text).slice(0, most));
    }
  });

  it('does not read a long text to its end', () => {
    let read = 0;
    firstTokens('word '.repeat(1e6), 100, (piece) => {
      read += piece.length;
      return encode(piece);
    });
    expect(read).toBeLessThan(5000);
  });
});
