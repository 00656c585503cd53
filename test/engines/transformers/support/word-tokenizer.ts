/** The files of a tokenizer that knows few words. */

/** A tokenizer of whole words, which adds `[CLS]` (1) and `[SEP]` (2); the words have the ids from 4 on. */
export function wordTokenizer(words: readonly string[]): Record<string, unknown> {
  const controls = ['[PAD]', '[CLS]', '[SEP]', '[UNK]'];
  const added = controls.map((content, id) => ({ id, content, special: true, normalized: false }));
  const special = (id: string, index: number) => ({ [id]: { id, ids: [index], tokens: [id] } });
  return {
    'tokenizer.json': {
      version: '1.0',
      added_tokens: added,
      normalizer: null,
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: {
        type: 'TemplateProcessing',
        single: ['[CLS]', 'A', '[SEP]'].map((id) =>
          id === 'A' ? { Sequence: { id, type_id: 0 } } : { SpecialToken: { id, type_id: 0 } },
        ),
        pair: [],
        special_tokens: { ...special('[CLS]', 1), ...special('[SEP]', 2) },
      },
      decoder: null,
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries([...controls, ...words].map((word, id) => [word, id])),
      },
    },
    'tokenizer_config.json': {
      tokenizer_class: 'PreTrainedTokenizerFast',
      pad_token: '[PAD]',
      unk_token: '[UNK]',
      model_max_length: 32,
    },
  };
}
