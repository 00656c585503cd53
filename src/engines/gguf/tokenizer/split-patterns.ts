/**
 * How byte-level tokenizers cut text into words before pairs are merged, by the name that `tokenizer.ggml.pre` gives. Each
 * pattern is applied to the pieces that the one before left; matches and what is between them are words. White space is that
 * of Unicode: `\s` of JavaScript has one character more and one less.
 * @module
 */

/** How a kind of tokenizer treats text. */
export interface SplitRules {
  patterns: readonly RegExp[];
  /** A word that is a token is that token, whatever its merges would give. */
  ignoresMerges: boolean;
  /** The begin token stands in front of prompts unless the file says otherwise. */
  addsBegin: boolean;
}

const S = String.raw`\p{White_Space}`;
const CONTRACTIONS = String.raw`'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])`;
const BLANKS = String.raw`${S}*[\r\n]+|${S}+(?![^${S}])|${S}+`;

const GPT2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^${S}\p{L}\p{N}]+|${S}+(?![^${S}])|${S}+`;
/** The bundled model's own: an apostrophe that opens a quotation is not a contraction, line ends are apart from blanks. */
const TINY_CHAT = String.raw`'(?:s|t|re|ve|m|ll|d)(?!\p{L})| ?\p{L}+|\p{N}| ?[^${S}\p{L}\p{N}]+|\n+|${S}+(?![^${S}])|${S}+`;

const DIGIT = String.raw`\p{N}`;
const THREE_DIGITS = '[0-9][0-9][0-9]';

/** Llama 3's pattern. @param numbers what is one word of digits @param letters a class, without brackets */
function llama3(numbers: string, letters = String.raw`\p{L}`): string {
  return String.raw`${CONTRACTIONS}|[^\r\n\p{L}\p{N}]?[${letters}]+|${numbers}| ?[^${S}${letters}\p{N}]+[\r\n]*|${BLANKS}`;
}

const UPPER = String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;

/** The pattern of `o200k`, whose words change at capital letters. */
function o200k(ending: string, numbers: string): string {
  return String.raw`${UPPER}*${LOWER}+${ending}|${UPPER}+${LOWER}*${ending}|${numbers}| ?[^${S}\p{L}\p{N}]+[\r\n/]*|${BLANKS}`;
}

const DEEPSEEK = [
  String.raw`\p{N}{1,3}`,
  '[一-龥\u3040-ゟ゠-ヿ]+',
  String.raw`[!"#$%&'()*+,\-./:;<=>?@[\\\]^_\x60{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|${BLANKS}`,
];

/** What the rules are for a list of names. */
function rows(names: string, patterns: readonly string[], rest: Partial<SplitRules> = {}): [string, SplitRules][] {
  const rules = {
    patterns: patterns.map((pattern) => new RegExp(pattern, 'gu')),
    ignoresMerges: false,
    addsBegin: false,
    ...rest,
  };
  return names.split(' ').map((name) => [name, rules]);
}

const LIKE_LLAMA3 = { ignoresMerges: true, addsBegin: true };

/** By `tokenizer.ggml.pre`; a file without one has `default`. */
export const SPLIT_RULES: ReadonlyMap<string, SplitRules> = new Map([
  ...rows('gpt-2 phi-2 mpt olmo exaone4 modern-bert jina-v2-es jina-v2-de jina-v2-code', [GPT2]),
  ...rows('smollm starcoder refact command-r exaone codeshell minerva-7b', [DIGIT, GPT2]),
  ...rows('llama-bpe llama3 llama-v3 lfm2 falcon3 falcon-h1 pixtral', [llama3(String.raw`\p{N}{1,3}`)], LIKE_LLAMA3),
  ...rows('dbrx smaug-bpe chatglm-bpe', [llama3(String.raw`\p{N}{1,3}`)]),
  ...rows('qwen2 stablelm2 hunyuan deepseek-r1-qwen', [llama3(DIGIT)]),
  ...rows('qwen35', [llama3(DIGIT, String.raw`\p{L}\p{M}`)]),
  ...rows('gpt-4o llama4', [o200k(`(?:${CONTRACTIONS})?`, String.raw`\p{N}{1,3}`)]),
  ...rows('tekken', [o200k('', DIGIT)], LIKE_LLAMA3),
  ...rows('falcon', [String.raw`[\p{P}$+<=>^~|\x60]+`, GPT2, THREE_DIGITS]),
  ...rows('default', [String.raw`[\p{P}$+<=>^~|]+`, GPT2, String.raw`\p{N}+`, THREE_DIGITS]),
  ...rows('deepseek-v3 hunyuan-dense', DEEPSEEK),
  ...rows('tiny-chat', [TINY_CHAT]),
]);

/** The words of a text. */
export function splitText(text: string, { patterns }: SplitRules): string[] {
  return patterns.reduce<string[]>((pieces, pattern) => pieces.flatMap((piece) => isolate(piece, pattern)), [text]);
}

/** Matches and what is between them, in order. */
function isolate(text: string, pattern: RegExp): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (index > from) pieces.push(text.slice(from, index));
    if (match !== '') pieces.push(match);
    from = index + match.length;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}
