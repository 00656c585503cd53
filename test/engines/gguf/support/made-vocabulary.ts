/**
 * Vocabularies that are made of a few texts, for comparisons with other tokenizers: pairs are merged until each text is one
 * token, across all borders of words. So every border that a tokenizer draws shows in its ids.
 * @module
 */
import { byteLevelText } from '../../../../src/language/prompt/byte-level.js';
import { SPLIT_RULES } from '../../../../src/engines/gguf/tokenizer/split-patterns.js';
import { TOKEN_KIND } from '../../../../src/engines/gguf/tokenizer/vocabulary.js';
import { AWKWARD_TEXTS } from './awkward-texts.js';
import type { MetadataInput } from './write-gguf.js';

const { normal, unknown, control, userDefined, byte } = TOKEN_KIND;

/** The hyperparameters that llama.cpp reads before the vocabulary. */
const LLAMA = {
  'general.architecture': 'llama',
  'llama.context_length': 512,
  'llama.embedding_length': 32,
  'llama.block_count': 1,
  'llama.feed_forward_length': 32,
  'llama.attention.head_count': 1,
  'llama.attention.layer_norm_rms_epsilon': 1e-5,
  'llama.rope.dimension_count': 32,
};
const BERT = {
  'general.architecture': 'bert',
  'bert.context_length': 512,
  'bert.embedding_length': 32,
  'bert.block_count': 1,
  'bert.feed_forward_length': 32,
  'bert.attention.head_count': 1,
  'bert.attention.layer_norm_epsilon': 1e-5,
  'bert.attention.causal': false,
};

/** Rules of the bundled model, which no other program knows. */
const OWN_RULES = 'tiny-chat';

/** Vocabularies by name. */
export function madeVocabularies(): Map<string, Record<string, MetadataInput>> {
  const all = new Map<string, Record<string, MetadataInput>>();
  for (const pre of [undefined, ...SPLIT_RULES.keys()].filter((name) => name !== OWN_RULES))
    all.set(pre ?? 'no pre', { ...LLAMA, ...byteLevelVocabulary(AWKWARD_TEXTS, pre) });
  all.set('llama', { ...LLAMA, ...scoredVocabulary(AWKWARD_TEXTS) });
  all.set('llama without a space', { ...LLAMA, ...scoredVocabulary(AWKWARD_TEXTS, false) });
  all.set('bert', { ...BERT, ...wordPieceVocabulary(AWKWARD_TEXTS) });
  return all;
}

/** Metadata of a byte-level vocabulary. @param pre undefined: without the key */
export function byteLevelVocabulary(texts: readonly string[], pre: string | undefined): Record<string, MetadataInput> {
  const bytes = Array.from({ length: 256 }, (_, index) => index);
  const alphabet = bytes.map((each) => byteLevelCharacter(each));
  const [first = '', ...others] = texts;
  const merges = learnMerges(others.map((text) => Array.from(byteLevelText(text))));
  const pieces = [...new Set([...alphabet, ...merges.map((pair) => pair.join(''))])];
  // Words of the first text, which no merge makes: only tokenizers that ignore merges find them.
  const words = first.match(/ ?\p{L}+/gu)?.map((word) => byteLevelText(word)) ?? [];
  const whole = words.filter((piece) => !pieces.includes(piece));
  const tokens = [...pieces, ...whole, '<|end|>', '<s>', '<tool_call>', '</tool_call>'];
  const kinds = [...Array.from([...pieces, ...whole], () => normal), control, control, userDefined, userDefined];
  return {
    'tokenizer.ggml.model': 'gpt2',
    ...(pre !== undefined && { 'tokenizer.ggml.pre': pre }),
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.token_type': Int32Array.from(kinds),
    'tokenizer.ggml.merges': merges.map(([left, right]) => `${left} ${right}`),
    'tokenizer.ggml.bos_token_id': tokens.indexOf('<s>'),
    'tokenizer.ggml.eos_token_id': tokens.indexOf('<|end|>'),
  };
}

/** Metadata of a SentencePiece vocabulary with scores. */
export function scoredVocabulary(texts: readonly string[], addsSpace = true): Record<string, MetadataInput> {
  const escaped = texts.map((text) => `\u2581${text.replaceAll(' ', '\u2581')}`);
  const merges = learnMerges(escaped.map((text) => Array.from(text)));
  const characters = [...new Set(escaped.join('').replace(/[^\u2581 -~äöüПривет你好]/g, ''))];
  const pieces = [...new Set([...merges.map((pair) => pair.join('')), ...characters])];
  const bytes = Array.from({ length: 256 }, (_, index) => `<0x${index.toString(16).toUpperCase().padStart(2, '0')}>`);
  const tokens = ['<unk>', '<s>', '</s>', ...bytes, '<|end|>', '<tool_call>', '</tool_call>', ...pieces];
  const kinds = [unknown, control, control, ...bytes.map(() => byte), control, userDefined, userDefined];
  return {
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.scores': Float32Array.from(tokens, (_, id) => (id < kinds.length ? 0 : kinds.length - id)),
    'tokenizer.ggml.token_type': Int32Array.from(tokens, (_, id) => kinds[id] ?? normal),
    'tokenizer.ggml.bos_token_id': 1,
    'tokenizer.ggml.eos_token_id': 2,
    'tokenizer.ggml.unknown_token_id': 0,
    ...(!addsSpace && { 'tokenizer.ggml.add_space_prefix': false }),
  };
}

/** Metadata of a WordPiece vocabulary. */
export function wordPieceVocabulary(texts: readonly string[]): Record<string, MetadataInput> {
  const found = texts.flatMap((text) => text.toLowerCase().match(/[\p{L}\p{N}]+|[^\p{L}\p{N}\s]/gu) ?? []);
  const words = [...new Set(found)].map((word) => Array.from(word));
  const begins = words.flatMap((word) => [word, word.slice(0, 3)]).map((word) => `\u2581${word.join('')}`);
  const rest = words.flatMap((word) => [word.slice(3).join(''), word.slice(3, 5).join(''), ...word]);
  const tokens = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...new Set([...begins, ...rest])].filter(
    (piece) => piece !== '',
  );
  return {
    'tokenizer.ggml.model': 'bert',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.token_type': Int32Array.from(tokens, (_, id) => (id < 5 ? control : normal)),
    'tokenizer.ggml.unknown_token_id': 1,
    'tokenizer.ggml.bos_token_id': 2,
    'tokenizer.ggml.eos_token_id': 3,
    'tokenizer.ggml.cls_token_id': 2,
    'tokenizer.ggml.seperator_token_id': 3,
    'tokenizer.ggml.padding_token_id': 0,
    'tokenizer.ggml.mask_token_id': 4,
  };
}

/** The character that stands for a byte. */
function byteLevelCharacter(value: number): string {
  if (value < 0x80) return byteLevelText(String.fromCharCode(value));
  // Those from 0x80 to 0xbf end a character of two bytes, the others are printable and stand for themselves.
  return value < 0xc0 ? byteLevelText(String.fromCharCode(value)).at(-1)! : String.fromCharCode(value);
}

/** Pairs of pieces, the most frequent first, until each text is one piece. */
function learnMerges(words: string[][]): [string, string][] {
  const key = JSON.stringify(words);
  const known = learned.get(key) ?? mergeAll(words);
  learned.set(key, known);
  return known;
}

const learned = new Map<string, [string, string][]>();

function mergeAll(words: string[][]): [string, string][] {
  const merges: [string, string][] = [];
  for (;;) {
    const counts = new Map<string, number>();
    for (const word of words)
      for (let at = 0; at + 1 < word.length; at++) {
        const pair = `${word[at]}\0${word[at + 1]}`;
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
    const [best] = [...counts].toSorted((a, b) => b[1] - a[1]);
    if (!best) return merges;
    const [left, right] = best[0].split('\0') as [string, string];
    merges.push([left, right]);
    for (const word of words)
      for (let at = 0; at + 1 < word.length; at++)
        if (word[at] === left && word[at + 1] === right) word.splice(at, 2, left + right);
  }
}
