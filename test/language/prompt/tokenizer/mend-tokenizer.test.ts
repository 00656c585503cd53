import { Tokenizer } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { mendTokenizer } from '../../../../src/language/prompt/tokenizer/mend-tokenizer.js';

/** Tables of SentencePiece, made by it: Ａ to A, ﬁ to fi, tab to space, ² to 2, é to e, e with U+0301 to E!, U+200B to nothing. */
const CHARS_MAP =
  'AAQAAAAgAAAJDQAAAQAAgMwYAgCBBQAABwAAgLIFAAADAACAqQUAAAoAAICAKAIAix0AAAAAAICBCQAArAgCAAwAAIChBQAABQAAgBMAAAASAAAAFQAAABQAAAAXAAAAFgAAABkAAAAYAAAAGwAAABoAAAAdAAAAHAAAALy8AgAeAAAAIQAAACAAAAAjAAAAIgAAACUAAAAkAAAAJwAAACYAAAApAAAAKAAAACsAAAAqAAAALQAAACwAAAAvAAAALgAAADEAAAAwAAAAMwAAADIAAAA1AAAANAAAADcAAAA2AAAAOQAAADgAAAA7AAAAOgAAAD0AAAA8AAAAPwAAAD4AAABBAAAAQAAAAEMAAABCAAAARQAAAEQAAABHAAAARgAAAEkAAABIAAAASwAAAEoAAABNAAAATAAAAE8AAABOAAAAUQAAAFAAAABTAAAAUgAAAFUAAABUAAAAVwAAAFYAAABZAAAAWAAAAFsAAABaAAAAXQAAAFwAAABfAAAAXgAAAGEAAABgAAAAYwAAAGIAAABlAAAAZAAAAGcAAABmAAAAaQAAAGgAAABrAAAAagAAAG0AAABliAIAbwAAAG4AAABxAAAAcAAAAHMAAAByAAAAdQAAAHQAAAB3AAAAdgAAAHkAAAB4AAAAewAAAHoAAAB9AAAAfAAAAH8AAAB+AAAAgQAAAIAAAACDAAAAggAAAIUAAACEAAAAhwAAAIYAAACJAAAAiAAAAIsAAACKAAAAjQAAAIwAAACPAAAAjgAAAJEAAACQAAAAkwAAAJIAAACVAAAAlAAAAJcAAACWAAAAmQAAAJgAAACbAAAAmgAAAJ0AAACcAAAAnwAAAJ4AAAChAAAAoAAAAKMAAACiAAAApQAAAKQAAACnAAAApgAAAKkAAACoAAAAqwAAAKoAAACtAAAArAAAAK8AAACuAAAAsQAAALAAAACzAAAAsgAAALUAAAC0AAAAtwAAALYAAAC5AAAAuAAAALsAAAC6AAAAvQAAALwAAAC/AAAAvgAAAMEAAADAAAAAwwAAAMIAAADFAAAAxAAAAMcAAADGAAAAyQAAAMgAAADC+AEAw6gBAM0AAADMAAAAzwAAAM4AAADRAAAA0AAAANMAAADSAAAA1QAAANQAAADXAAAA1gAAANkAAADYAAAA2wAAANoAAADdAAAA3AAAAN8AAADeAAAA4QAAAOAAAADjAAAA4gAAAOUAAADkAAAA5wAAAO8UAQDpAAAA6AAAAOKAAQDqAAAA7QAAAOwAAADvAAAA7gAAAPEAAADwAAAA8wAAAPIAAAD1AAAA9AAAAPcAAAD2AAAA+QAAAPgAAAD7AAAA+gAAAP0AAAD8AAAA/wAAAP4AAAAAIAAyAEEARSEAZQBmaQA=';

type Config = Record<string, unknown>;

function tokenizerWith(stages: { normalizer?: Config; pre_tokenizer?: Config; model?: Config }): Tokenizer {
  const json = {
    normalizer: null,
    pre_tokenizer: null,
    model: { type: 'WordPiece', unk_token: '?', continuing_subword_prefix: '##', vocab: { '?': 0 } },
    post_processor: null,
    decoder: null,
    added_tokens: [],
    ...stages,
  };
  return mendTokenizer(new Tokenizer(json, {}));
}

function normalize(normalizer: Config, text: string): string {
  const stages = tokenizerWith({ normalizer }) as unknown as { normalizer: (text: string) => string };
  return stages.normalizer(text);
}

function words(pretokenizer: Config, text: string, section = 0): string[] {
  const stages = tokenizerWith({ pre_tokenizer: pretokenizer }) as unknown as {
    pre_tokenizer: (text: string, options: { section_index: number }) => string[];
  };
  return stages.pre_tokenizer(text, { section_index: section });
}

// What is expected here is what Python's tokenizers gives.
describe('mendTokenizer', () => {
  const bert = { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true };

  it.each([
    ['a final Σ is σ', 'ΟΔΥΣΣΕΥΣ ΣΑΣ.', 'οδυσσευσ σασ.'],
    ['ideographs above U+FFFF are set apart', 'a𠮷b', 'a 𠮷 b'],
    ['ideographs that are written as others, too', '\u{2F887}z', ' 幩 z'],
    ['accents go, İ too', 'Éİ', 'ei'],
    ['a byte order mark goes', 'a\uFEFFb', 'ab'],
    ['a mark of a later Unicode stays', 'a\u{1E944}b', 'a\u{1E944}b'],
  ])('BERT: %s', (_, text, expected) => {
    expect(normalize(bert, text)).toBe(expected);
  });

  it.each([
    ['Lowercase', { type: 'Lowercase' }, 'ΑΣ', 'ασ'],
    ['Strip', { type: 'Strip', strip_left: true, strip_right: true }, '\u0085 a \u0085', 'a'],
    ['Strip on one side', { type: 'Strip', strip_left: true }, ' a ', 'a '],
    ['NFKC', { type: 'NFKC' }, '\u32FFﬁ', '\u32FFfi'],
    ['StripAccents', { type: 'StripAccents' }, 'e\u0301\u0903', 'e'],
    ['Sequence', { type: 'Sequence', normalizers: [{ type: 'NFD' }, { type: 'Lowercase' }] }, 'ΑΣ', 'ασ'],
  ])('%s', (_, config, text, expected) => {
    expect(normalize(config, text)).toBe(expected);
  });

  it.each([
    ['ＡﬁA', 'AfiA'],
    ['a\tb\u200Bc', 'a bc'],
    ['x²\u0301y', 'x2y'],
    ['e\u0301e', 'E!e'],
    ['\t\u0301', ' \u0301'],
    ['ｅ', 'ｅ'],
    ['\u200B\u0301x', '\u0301x'],
    ['', ''],
  ])('SentencePiece replaces %j by %j, as its own table says', (text, expected) => {
    expect(normalize({ type: 'Precompiled', precompiled_charsmap: CHARS_MAP }, text)).toBe(expected);
  });

  it.each([
    ['no Base64', '%', 'is not Base64'],
    ['a cut table', 'AAQAAA', 'ends early'],
    ['an endless replacement', btoa(`\u0004\0\0\0\0\0\0\0${'a'.repeat(2_000)}\0`), 'far longer'],
  ])('refuses %s', (_, precompiled_charsmap, reason) => {
    const open = (): string => normalize({ type: 'Precompiled', precompiled_charsmap }, 'a');
    expect(open).toThrow(
      expect.objectContaining({ code: 'model_not_supported', message: expect.stringContaining(reason) }),
    );
  });

  const split = (behavior: string) => ({ type: 'Split', pattern: { String: '-' }, behavior, invert: false });
  it.each([
    ['BertPreTokenizer', { type: 'BertPreTokenizer' }, 'a!?b\u0085c', ['a', '!', '?', 'b', 'c']],
    ['Whitespace', { type: 'Whitespace' }, 'grün, naïve_1', ['grün', ',', 'naïve_1']],
    ['WhitespaceSplit', { type: 'WhitespaceSplit' }, 'a\u0085b\uFEFFc', ['a', 'b\uFEFFc']],
    ['Punctuation', { type: 'Punctuation' }, 'a!?b', ['a', '!', '?', 'b']],
    ['Punctuation together', { type: 'Punctuation', behavior: 'Contiguous' }, 'a!?b', ['a', '!?', 'b']],
    ['Digits', { type: 'Digits', individual_digits: true }, 'a１2b', ['a', '１', '2', 'b']],
    ['Digits together', { type: 'Digits', individual_digits: false }, 'a12b', ['a', '12', 'b']],
    ['Split', split('Isolated'), 'a--b', ['a', '-', '-', 'b']],
    ['Split, removed', split('Removed'), '-a--b', ['a', 'b']],
    ['Split, with the word before', split('MergedWithPrevious'), '-a--b-', ['-', 'a-', '-', 'b-']],
    ['Split, with the word behind', split('MergedWithNext'), '-a--b-', ['-a', '-', '-b', '-']],
    ['Split, in runs', split('Contiguous'), 'a--b', ['a', '--', 'b']],
    ['Metaspace', { type: 'Metaspace' }, 'a  b', ['▁a', '▁', '▁b']],
    ['Metaspace in one', { type: 'Metaspace', split: false }, 'a b', ['▁a▁b']],
    ['Metaspace, older', { type: 'Metaspace', add_prefix_space: false }, 'a b', ['a', '▁b']],
    ['FixedLength', { type: 'FixedLength', length: 2 }, '😀ab', ['😀a', 'b']],
    ['ByteLevel', { type: 'ByteLevel' }, 'a \u0085b', ['a', 'Ġ', 'Âħ', 'b']],
    ['ByteLevel in one', { type: 'ByteLevel', use_regex: false, add_prefix_space: true }, 'a é', ['ĠaĠÃ©']],
  ])('%s', (_, config, text, expected) => {
    expect(words(config, text)).toEqual(expected);
  });

  it('puts a mark before the first section only', () => {
    const first = { type: 'Metaspace', prepend_scheme: 'first' };
    expect([words(first, 'a', 0), words(first, 'a', 1)]).toEqual([['▁a'], ['a']]);
  });

  it('joins unknown pieces within a word only', () => {
    const model = { type: 'BPE', unk_token: '?', fuse_unk: true, vocab: { '?': 0, a: 1 }, merges: [] };
    const tokenizer = tokenizerWith({ model, pre_tokenizer: { type: 'WhitespaceSplit' } });
    expect(tokenizer.encode('xy za').ids).toEqual([0, 0, 1]);
  });
});
