/** Normalizers of `tokenizer.json` that do what Python's `tokenizers` does. @module */
import { LATER_COMPATIBLE, LATER_FORMAT, LATER_MARKS, LATER_NONSPACING } from './later-characters.js';
import { readCharsMap } from './precompiled-charsmap.js';

export type Normalize = (text: string) => string;

/** An entry of `normalizer` in `tokenizer.json`. */
export interface NormalizerConfig {
  type?: string;
  /** Of `Sequence`. */
  normalizers?: NormalizerConfig[];
  /** Of `BertNormalizer`. */
  clean_text?: boolean;
  handle_chinese_chars?: boolean;
  strip_accents?: boolean | null;
  lowercase?: boolean;
  /** Of `Precompiled`: SentencePiece's table of characters, in Base64. */
  precompiled_charsmap?: string | null;
  /** Of `Strip`. */
  strip_left?: boolean;
  strip_right?: boolean;
}

const CONTROL = new RegExp(String.raw`(?![\t\n\r${LATER_FORMAT}])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]`, 'gu');
const SPACE = /\p{White_Space}/gu;
/** As BERT's first code has them: a block is missing, from which later code took no word. */
const IDEOGRAPH =
  /[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B81F}\u{2B920}-\u{2CEAF}\u{2F800}-\u{2FA1F}]/gu;
const NONSPACING = new RegExp(String.raw`(?![${LATER_NONSPACING}])\p{Mn}|[\u1734\u{1171E}]`, 'gu');
const MARK = new RegExp(String.raw`(?![${LATER_MARKS}])\p{M}|[\u1CF2\u1CF3]`, 'gu');
const COMPATIBLE = new RegExp(`([${LATER_COMPATIBLE}])`, 'u');
const SPACE_BEFORE = /^\p{White_Space}+/u;
const SPACE_AFTER = /(?<!\p{White_Space})\p{White_Space}+$/u;

/** The normalizer of an entry; undefined where the library's does the same. */
export function mendedNormalizer(config: NormalizerConfig): Normalize | undefined {
  switch (config.type) {
    case 'BertNormalizer':
      return bertNormalizer(config);
    case 'Precompiled':
      return typeof config.precompiled_charsmap === 'string' ? readCharsMap(config.precompiled_charsmap) : undefined;
    case 'Lowercase':
      return lowerCase;
    case 'StripAccents':
      return (text) => text.replace(MARK, '');
    case 'Strip':
      return (text) => {
        const left = config.strip_left ? text.replace(SPACE_BEFORE, '') : text;
        return config.strip_right ? left.replace(SPACE_AFTER, '') : left;
      };
    case 'NFKC':
    case 'NFKD':
      return compatibilityForm(config.type);
    default:
      return undefined;
  }
}

/** In this order: ideographs whose form is another one are set apart before they are replaced. */
function bertNormalizer(config: NormalizerConfig): Normalize {
  const stripAccents = config.strip_accents ?? config.lowercase ?? false;
  return (text) => {
    let result = text;
    if (config.clean_text) result = result.replace(CONTROL, '').replace(SPACE, ' ');
    if (config.handle_chinese_chars) result = result.replace(IDEOGRAPH, ' $& ');
    if (stripAccents) result = result.normalize('NFD').replace(NONSPACING, '');
    return config.lowercase ? lowerCase(result) : result;
  };
}

/** Each character on its own: JavaScript writes a Σ that ends a word as ς, and no model saw that. */
function lowerCase(text: string): string {
  return text.includes('Σ') ? text.split('Σ').map(lowerCase).join('σ') : text.toLowerCase();
}

/** Characters between which text is split never combine with their neighbours. */
function compatibilityForm(form: 'NFKC' | 'NFKD'): Normalize {
  return (text) =>
    COMPATIBLE.test(text)
      ? text
          .split(COMPATIBLE)
          .map((part, index) => (index % 2 === 0 ? part.normalize(form) : part))
          .join('')
      : text.normalize(form);
}
