/** Pre-tokenizers of `tokenizer.json` that do what Python's `tokenizers` does. @module */
import { LATER_PUNCTUATION } from './later-characters.js';

export type PreTokenize = (text: string, options?: { section_index?: number }) => string[];

/** An entry of `pre_tokenizer` in `tokenizer.json`. */
export interface PreTokenizerConfig {
  type?: string;
  /** Of `Sequence`. */
  pretokenizers?: PreTokenizerConfig[];
  /** Of `Split` and `Punctuation`; written in either way. */
  behavior?: string;
  /** Of `Split`: what matches is kept, and the rest is what separates. */
  invert?: boolean;
  /** Of `Digits`. */
  individual_digits?: boolean;
  /** Of `ByteLevel`, and of older `Metaspace`. */
  add_prefix_space?: boolean;
  /** Of `ByteLevel`. */
  use_regex?: boolean;
  /** Of `Metaspace`. */
  replacement?: string;
  prepend_scheme?: string;
  split?: boolean;
  /** Of `FixedLength`. */
  length?: number;
}

/** What becomes of the parts of a text that match. */
type Behavior = 'removed' | 'isolated' | 'mergedwithprevious' | 'mergedwithnext' | 'contiguous';

const SPACE = /\p{White_Space}+/gu;
const PUNCTUATION = new RegExp(
  String.raw`(?![${LATER_PUNCTUATION}])\p{P}|[\u0021-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u007E\u166D\u{111C9}]`,
  'gu',
);
const DIGIT = /\p{N}/gu;
/** GPT-2's, with the white space of Unicode: JavaScript's `\s` has U+FEFF besides, and lacks U+0085. */
const BYTE_LEVEL =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;
const WORD = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`;
const WORDS = new RegExp(String.raw`[${WORD}]+|[^${WORD}\p{White_Space}]+`, 'gu');

const encoder = new TextEncoder();
/** The character that stands for each byte: itself where it can be seen, else one from U+0100 on. */
const BYTE_CHARACTERS = byteCharacters();

/**
 * The pre-tokenizer of an entry; undefined where the library's does the same.
 * @param pattern the library's translation of the entry's regular expression
 */
export function mendedPreTokenizer(
  config: PreTokenizerConfig,
  pattern: RegExp | null | undefined,
): PreTokenize | undefined {
  switch (config.type) {
    case 'BertPreTokenizer':
      return (text) => split(text, SPACE, 'removed').flatMap((word) => split(word, PUNCTUATION, 'isolated'));
    case 'Whitespace':
      return (text) => text.match(WORDS) ?? [];
    case 'WhitespaceSplit':
      return (text) => split(text, SPACE, 'removed');
    case 'Punctuation':
      return (text) => split(text, PUNCTUATION, behaviorOf(config));
    case 'Digits':
      return (text) => split(text, DIGIT, config.individual_digits ? 'isolated' : 'contiguous');
    case 'Split':
      return pattern ? (text) => split(text, pattern, behaviorOf(config), config.invert) : undefined;
    case 'ByteLevel':
      return byteLevel(config);
    case 'Metaspace':
      return metaspace(config);
    case 'FixedLength':
      return (text) => fixedLength(text, config.length ?? 1);
    default:
      return undefined;
  }
}

/** `MergedWithNext` and `merged_with_next` are the same. */
function behaviorOf({ behavior = 'isolated' }: PreTokenizerConfig): Behavior {
  return behavior.toLowerCase().replaceAll('_', '') as Behavior;
}

/** @param pattern with the flag `g` @param invert what does not match is what separates */
function split(text: string, pattern: RegExp, behavior: Behavior, invert = false): string[] {
  const parts: { text: string; separates: boolean }[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (end < index) parts.push({ text: text.slice(end, index), separates: invert });
    if (match !== '') parts.push({ text: match, separates: !invert });
    end = index + match.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), separates: invert });
  const joined: string[] = [];
  let last: boolean | undefined;
  switch (behavior) {
    case 'removed':
      return parts.filter(({ separates }) => !separates).map((part) => part.text);
    case 'contiguous':
    case 'mergedwithprevious':
      for (const part of parts) {
        const joins = behavior === 'contiguous' ? part.separates === last : part.separates && last === false;
        if (joins) joined.push(joined.pop()! + part.text);
        else joined.push(part.text);
        last = part.separates;
      }
      return joined;
    case 'mergedwithnext':
      for (const part of parts.toReversed()) {
        if (part.separates && last === false) joined.push(part.text + joined.pop()!);
        else joined.push(part.text);
        last = part.separates;
      }
      return joined.toReversed();
    default:
      return parts.map((part) => part.text);
  }
}

function byteLevel({ add_prefix_space: addsSpace, use_regex: splits = true }: PreTokenizerConfig): PreTokenize {
  return (text) => {
    const spaced = addsSpace && !text.startsWith(' ') ? ` ${text}` : text;
    const words = splits ? (spaced.match(BYTE_LEVEL) ?? []) : [spaced];
    return words.map((word) => Array.from(encoder.encode(word), (byte) => BYTE_CHARACTERS[byte]!).join(''));
  };
}

function metaspace(config: PreTokenizerConfig): PreTokenize {
  const { replacement: mark = '\u2581', split: splits = true } = config;
  const scheme = config.prepend_scheme ?? (config.add_prefix_space === false ? 'never' : 'always');
  return (text, { section_index: section } = {}) => {
    const marked = text.replaceAll(' ', mark);
    const prepends = scheme === 'always' || (scheme === 'first' && section === 0);
    const whole = prepends && !marked.startsWith(mark) ? mark + marked : marked;
    return splits ? splitAtMarks(whole, mark) : [whole];
  };
}

/** Each word with the mark before it; marks in a row are words of their own. */
function splitAtMarks(text: string, mark: string): string[] {
  const [first, ...rest] = text.split(mark);
  return [...(first === '' ? [] : [first!]), ...rest.map((word) => mark + word)];
}

function fixedLength(text: string, length: number): string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / length);
  return Array.from({ length: count }, (_, index) => characters.slice(index * length, (index + 1) * length).join(''));
}

function byteCharacters(): string[] {
  let hidden = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const visible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCharCode(visible ? byte : 0x100 + hidden++);
  });
}
