/** The vocabulary of a GGUF file: its pieces, special tokens and chat templates, checked. @module */
import { damaged, shown, unsupported } from '../file/file-problems.js';
import type { GgufHeader, GgufNumbers, GgufValue } from '../file/header.js';
import { SPLIT_RULES, type SplitRules } from './split-patterns.js';

/** Kinds of tokens: `tokenizer.ggml.token_type`. */
export const TOKEN_KIND = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

const MODELS = ['gpt2', 'llama', 'bert', 'gemma4'] as const;

/** Special tokens, by what the file's keys call them. */
const SPECIAL_KEYS = {
  bos: 'bos_token_id',
  eos: 'eos_token_id',
  eot: 'eot_token_id',
  eom: 'eom_token_id',
  unk: 'unknown_token_id',
  // So it is written in the files.
  sep: 'seperator_token_id',
  pad: 'padding_token_id',
  cls: 'cls_token_id',
  mask: 'mask_token_id',
  fimPad: 'fim_pad_token_id',
  fimRepository: 'fim_rep_token_id',
  fimSeparator: 'fim_sep_token_id',
} as const;
/** Keys that change what a text's tokens are, and that no tokenizer here obeys. */
const UNREAD = ['ggml.precompiled_charsmap', 'ggml.remove_extra_whitespaces', 'rwkv.world'];
type SpecialName = keyof typeof SPECIAL_KEYS;

/** What a file says about its tokens. */
export interface GgufVocabulary {
  /** `gpt2`: byte-level pairs by rank; `gemma4`: pairs of characters by rank; `llama`: SentencePiece by score; `bert`: the longest piece of a word. */
  model: (typeof MODELS)[number];
  /** How text is cut into words: only for `gpt2`. */
  rules: SplitRules | undefined;
  /** By token id. */
  pieces: readonly string[];
  /** By token id, see {@link TOKEN_KIND}. */
  kinds: ArrayLike<number>;
  /** By token id, for `llama`. */
  scores: ArrayLike<number>;
  /** For `gpt2` and `gemma4`: two pieces with a space between, the best first. */
  merges: readonly string[];
  special: Readonly<Partial<Record<SpecialName, number>>>;
  /** The begin token stands in front of every prompt. */
  addsBegin: boolean;
  /** The end token stands behind texts that are read as a whole. */
  addsEnd: boolean;
  /** The separator does, where the end token does not. */
  addsSeparator: boolean;
  /** A space stands in front of text: only for `llama`. */
  addsSpace: boolean;
  chatTemplate: string | undefined;
  /** For conversations with tools, where the file has another one for them. */
  toolTemplate: string | undefined;
}

/** UTF-16 units of a token; no real one comes near. */
const MOST_UNITS = 65_535;

/**
 * The vocabulary of a file.
 * @throws InferenceError `model_not_supported` for one without a vocabulary or with an unknown kind of it, `unavailable` for
 * one that contradicts itself
 */
export function readVocabulary(header: Pick<GgufHeader, 'file' | 'metadata'>): GgufVocabulary {
  const { file } = header;
  const keys = new TokenizerKeys(header);
  const name = keys.text('ggml.model');
  if (name === undefined || name === 'none' || name === 'no_vocab') throw unsupported(file, 'it has no tokenizer');
  const model = MODELS.find((each) => each === name);
  if (!model) {
    throw unsupported(
      file,
      `its tokenizer \`${shown(name)}\` is not supported, only ${MODELS.map((each) => `\`${each}\``).join(', ')}`,
    );
  }
  // Files that llama.cpp reads too name the nearest of its rules, and beside it their own.
  const pre = keys.text('inpage.pre') ?? keys.text('ggml.pre') ?? 'default';
  const rules = model === 'gpt2' ? findSplitRules(pre, file) : undefined;
  const pieces = keys.texts('ggml.tokens');
  if (pieces === undefined || pieces.length === 0) throw unsupported(file, 'it has no tokenizer');
  if (pieces.some(({ length }) => length > MOST_UNITS))
    throw damaged(file, `it has a token of more than ${MOST_UNITS} characters`);
  const kinds = keys.numbers('ggml.token_type', pieces.length) ?? new Uint8Array(pieces.length).fill(TOKEN_KIND.normal);
  checkKinds(kinds, file);
  const scores = keys.numbers('ggml.scores', pieces.length);
  if (model === 'llama' && !scores) throw damaged(file, 'its tokenizer has no scores');
  const merges = keys.texts('ggml.merges');
  if (!merges && (model === 'gpt2' || model === 'gemma4'))
    throw unsupported(file, 'its byte-pair vocabulary has no merges (`tokenizer.ggml.merges`)');
  const special: Partial<Record<SpecialName, number>> = {};
  for (const [each, key] of Object.entries(SPECIAL_KEYS)) {
    const id = keys.token(`ggml.${key}`, pieces.length);
    if (id !== undefined) special[each as SpecialName] = id;
  }
  keys.refuseOthers();
  return {
    model,
    rules,
    pieces,
    kinds,
    scores: scores ?? [],
    merges: merges ?? [],
    special,
    addsBegin: keys.flag('ggml.add_bos_token') ?? rules?.addsBegin ?? model !== 'gemma4',
    addsEnd: keys.flag('ggml.add_eos_token') ?? false,
    addsSeparator: keys.flag('ggml.add_sep_token') ?? false,
    addsSpace: model === 'llama' && (keys.flag('ggml.add_space_prefix') ?? true),
    chatTemplate: keys.text('chat_template'),
    toolTemplate: keys.text('chat_template.tool_use'),
  };
}

/**
 * Each token needs weights: others than these would be read as if they were.
 * @param rows of the table of embeddings; more than tokens are padding
 * @throws InferenceError `model_not_supported`
 */
export function checkRows(header: Pick<GgufHeader, 'file'>, { pieces }: GgufVocabulary, rows: number): void {
  if (pieces.length > rows) throw unsupported(header.file, `it has ${pieces.length} tokens and weights for ${rows}`);
}

/** Kinds from 0, which some files have for none, to the last that there is. */
function checkKinds(kinds: ArrayLike<number>, file: string): void {
  const all = new Set<number>();
  for (let id = 0; id < kinds.length; id++) all.add(kinds[id]!);
  const wrong = [...all].find((kind) => !Number.isInteger(kind) || kind < 0 || kind > TOKEN_KIND.byte);
  if (wrong !== undefined) throw damaged(file, `its vocabulary has a token of the kind ${wrong}, which does not exist`);
  if (![TOKEN_KIND.normal, TOKEN_KIND.byte, TOKEN_KIND.userDefined].some((kind) => all.has(kind)))
    throw damaged(file, 'its vocabulary has no token that is text');
}

function findSplitRules(pre: string, file: string): SplitRules {
  const rules = SPLIT_RULES.get(pre);
  if (!rules) {
    const known = [...SPLIT_RULES.keys()].map((name) => `\`${name}\``).join(', ');
    throw unsupported(file, `its pre-tokenizer \`${shown(pre)}\` is not supported, only ${known}`);
  }
  return rules;
}

/** The metadata below `tokenizer.`, each of the type that it must have. */
class TokenizerKeys {
  readonly #file: string;
  readonly #metadata: ReadonlyMap<string, GgufValue>;

  constructor({ file, metadata }: Pick<GgufHeader, 'file' | 'metadata'>) {
    this.#file = file;
    this.#metadata = metadata;
  }

  text(key: string): string | undefined {
    return this.#get(key, (value) => typeof value === 'string');
  }

  flag(key: string): boolean | undefined {
    return this.#get(key, (value) => typeof value === 'boolean');
  }

  texts(key: string): readonly string[] | undefined {
    return this.#get(
      key,
      (value): value is readonly string[] => Array.isArray(value) && value.every((each) => typeof each === 'string'),
    );
  }

  numbers(key: string, length: number): GgufNumbers | undefined {
    return this.#get(
      key,
      (value): value is GgufNumbers =>
        ArrayBuffer.isView(value) && value.length === length && value.every(Number.isFinite),
    );
  }

  /** A token id; one that means none (-1) is undefined. */
  token(key: string, count: number): number | undefined {
    const id = this.#get(key, (value): value is number => Number.isInteger(value));
    if (id === undefined || id === -1 || id === 0xffffffff) return undefined;
    if (id < 0 || id >= count) throw damaged(this.#file, `its \`tokenizer.${key}\` is not one of its ${count} tokens`);
    return id;
  }

  /** @throws InferenceError `model_not_supported` for a key that makes tokens otherwise and that no one reads */
  refuseOthers(): void {
    for (const key of UNREAD) {
      const value = this.#metadata.get(`tokenizer.${key}`);
      const isOff = value === undefined || value === false || (typeof value === 'object' && value.length === 0);
      if (!isOff) throw unsupported(this.#file, `its metadata \`tokenizer.${key}\` is not supported`);
    }
  }

  #get<T extends GgufValue>(key: string, isRight: (value: GgufValue) => value is T): T | undefined {
    const value = this.#metadata.get(`tokenizer.${key}`);
    if (value === undefined || isRight(value)) return value;
    throw damaged(this.#file, `its \`tokenizer.${key}\` is not as it must be`);
  }
}
