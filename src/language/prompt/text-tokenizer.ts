/** A model's tokenizer: text to token ids, tokens to bytes, special tokens and chat templates. @module */
import type { Tokenizer } from '@huggingface/tokenizers';
import { InferenceError } from '../../core/errors/inference-error.js';
import { byteLevelBytes } from './byte-level.js';

/** Text to token ids and back, for one model. */
export interface TextTokenizer {
  /** Number of rows of the logits that are real tokens. */
  readonly vocabularySize: number;
  /** Tokens that end a turn. */
  readonly endTokens: ReadonlySet<number>;
  /** Strings that the tokenizer turns into one added token wherever they stand (`<|im_start|>`, `<tool_call>`). */
  readonly addedTokens: ReadonlyMap<string, number>;
  /** Ids of text in which no added token is recognized: user text that spells `<|im_start|>` stays text. */
  encodeText(text: string): number[];
  /**
   * Like {@link encodeText}, for text that continues other text: no space is put in front. Undefined: `encodeText` does as
   * much.
   */
  encodeContinuation?(text: string): number[];
  /** The exact bytes a token stands for; special tokens give their literal text. */
  bytesOf(token: number): Uint8Array;
  /** Jinja source; absent for models without chat training. */
  readonly chatTemplate?: string;
  /** Jinja source for conversations with tools, where the model has another one for them. */
  readonly toolTemplate?: string;
  /** `bos_token`, `eos_token` and the like, for the template. */
  readonly templateVariables: Readonly<Record<string, string>>;
  /** Ids that the model wants before raw text (a BOS token), usually none. */
  readonly prefixTokens: readonly number[];
  /** A chat begins with {@link prefixTokens} too, unless its template wrote them. Default: the template alone decides. */
  readonly beginsChats?: boolean;
}

/** A tokenizer and what it leaves open. */
interface TokenizerParts {
  /** Built of `tokenizer.json` and `tokenizer_config.json`. */
  tokenizer: Tokenizer;
  /** `tokenizer.json`. */
  json: TokenizerJson;
  /** `bos_token`, `eos_token` and the like; see {@link specialTokensOf}. */
  specialTokens: Readonly<Record<string, string>>;
  /** End-of-turn tokens of the generation config. */
  endTokens: readonly number[];
  chatTemplate: string | undefined;
  toolTemplate?: string | undefined;
}

/** `tokenizer.json`, as far as it is looked into. */
export interface TokenizerJson {
  decoder?: DecoderJson | null;
  normalizer?: NormalizerJson | null;
}

interface NormalizerJson {
  type?: string;
  /** Of `Sequence`. */
  normalizers?: NormalizerJson[];
  /** Of `Replace`: what stands for the pattern. */
  content?: string;
  /** Of `Prepend`. */
  prepend?: string;
}

interface DecoderJson {
  type: string;
  decoders?: DecoderJson[];
}

/** The stages of a tokenizer that are run one by one, so that added tokens can be left out. */
interface Stages {
  normalizer: ((text: string) => string) | null;
  pre_tokenizer: ((text: string, options: { section_index: number }) => string[]) | null;
  model: ((words: string[]) => string[]) & {
    vocab: (string | undefined)[];
    tokens_to_ids: Map<string, number>;
    unk_token_id?: number;
  };
}

type AddedTokens = ReadonlyMap<number, { content: string }>;

const encoder = new TextEncoder();

/** A normalizer replaces a space by a mark, and at most a few characters by a few others. */
const MOST_GROWTH = 1_000;

/** How many times longer a text may become. */
function growthOf(normalizer: NormalizerJson | null | undefined): number {
  const { normalizers = [], content, prepend } = normalizer ?? {};
  const inner = Array.isArray(normalizers) ? normalizers.reduce((product, each) => product * growthOf(each), 1) : 1;
  return inner * Math.max(1, lengthOf(content), lengthOf(prepend));
}

function lengthOf(text: unknown): number {
  return typeof text === 'string' ? text.length : 0;
}

/**
 * Runs the stages of a tokenizer for text in which no added token is meant.
 * @throws InferenceError `model_not_supported` for a normalizer that makes texts a thousand times longer, and for added tokens without text
 */
export function createTextTokenizer(parts: TokenizerParts): TextTokenizer {
  if (growthOf(parts.json.normalizer) > MOST_GROWTH)
    throw refusal(
      `The normalizer in the model's \`tokenizer.json\` can make a string more than ${MOST_GROWTH} times longer.`,
    );
  const { tokenizer, chatTemplate, toolTemplate, specialTokens } = parts;
  const stages = tokenizer as unknown as Stages;
  const added: AddedTokens = tokenizer.get_added_tokens_decoder();
  for (const [id, { content }] of added)
    if (typeof content !== 'string' || !Number.isSafeInteger(id) || id < 0)
      throw refusal(
        "An added token in the model's `tokenizer.json` has no text, or an id that is not a number from 0 on.",
      );
  const addedTokens = new Map([...added].map(([id, { content }]) => [content, id] as const));
  const bytesOfPiece = pieceDecoder(parts.json);
  const known: (Uint8Array | undefined)[] = [];
  return {
    vocabularySize: [...added.keys()].reduce((size, id) => Math.max(size, id + 1), stages.model.vocab.length),
    endTokens: endTokens(parts, addedTokens),
    addedTokens,
    encodeText: (text) => encodeWithoutAddedTokens(text, stages, added),
    bytesOf(token) {
      const special = added.get(token);
      return (known[token] ??= special
        ? encoder.encode(special.content)
        : bytesOfPiece(stages.model.vocab[token] ?? ''));
    },
    ...(chatTemplate !== undefined && { chatTemplate }),
    ...(toolTemplate !== undefined && { toolTemplate }),
    templateVariables: specialTokens,
    prefixTokens: prefixTokens(tokenizer, specialTokens),
  };
}

/** The error of a file that no one can follow. */
function refusal(reason: string): InferenceError {
  return new InferenceError('model_not_supported', reason, { param: 'model', reason, permanent: true });
}

/** Jinja sources. */
export interface ChatTemplates {
  /** Undefined for models without chat training. */
  chatTemplate: string | undefined;
  /** Only where the model has another template for tools; it may well refuse conversations without. */
  toolTemplate: string | undefined;
}

/** `chat_template` of `tokenizer_config.json`: one template, or several with names (as a list, or already as an object). */
export type ChatTemplateField =
  | string
  | readonly { name: string; template: string }[]
  | Readonly<Record<string, string>>
  | null
  | undefined;

/** The templates for plain conversations and for those with tools. */
export function chatTemplatesOf(field: ChatTemplateField): ChatTemplates {
  if (typeof field === 'string') return { chatTemplate: field, toolTemplate: undefined };
  const entries = Array.isArray(field)
    ? field.map(({ name, template }: { name: string; template: string }) => [name, template] as const)
    : Object.entries(field ?? {});
  const named = new Map<string, string>(entries);
  const [plain, tools] = [named.get('default'), named.get('tool_use')];
  return { chatTemplate: plain ?? tools, toolTemplate: plain === undefined ? undefined : tools };
}

const SPECIAL_TOKENS = ['bos_token', 'eos_token', 'pad_token', 'unk_token', 'sep_token', 'cls_token'] as const;

/** The special tokens of `tokenizer_config.json`; older configs write them as objects. */
export function specialTokensOf(config: Readonly<Record<string, unknown>>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of SPECIAL_TOKENS) {
    const value = config[name];
    const text = typeof value === 'string' ? value : (value as { content?: unknown } | null | undefined)?.content;
    if (typeof text === 'string') found[name] = text;
  }
  return found;
}

/** How a model's pieces of text stand for bytes, read from its decoder. */
function pieceDecoder(json: TokenizerJson): (piece: string) => Uint8Array {
  const types = decoderTypes(json.decoder);
  if (types.includes('ByteLevel')) return byteLevelBytes;
  if (types.includes('WordPiece')) return wordPieceBytes;
  const isSentencePiece = (type: string): boolean => ['Metaspace', 'ByteFallback', 'Replace'].includes(type);
  return types.some(isSentencePiece) ? sentencePieceBytes : pieceBytes;
}

function decoderTypes(decoder: DecoderJson | null | undefined): string[] {
  return decoder ? [decoder.type, ...(decoder.decoders ?? []).flatMap(decoderTypes)] : [];
}

function encodeWithoutAddedTokens(text: string, stages: Stages, added: AddedTokens): number[] {
  const ids = encodePlain(text, stages);
  // Some vocabularies hold control tokens as ordinary pieces too; broken up they are text.
  const found = ids.find((id) => added.has(id) && text.includes(added.get(id)!.content));
  if (found === undefined) return ids;
  const { content } = added.get(found)!;
  if (content.length < 2 || content.trim() === '') return ids;
  return text
    .split(content)
    .flatMap((part, index) => [
      ...(index === 0 ? [] : Array.from(content).flatMap((character) => encodePlain(character, stages))),
      ...(part === '' ? [] : encodeWithoutAddedTokens(part, stages, added)),
    ]);
}

function encodePlain(text: string, stages: Stages): number[] {
  const normalized = stages.normalizer ? stages.normalizer(text) : text;
  if (normalized === '') return [];
  // Stretches of a chat prompt follow control tokens, so none of them is the first section.
  const words = stages.pre_tokenizer ? stages.pre_tokenizer(normalized, { section_index: 1 }) : [normalized];
  const ids: number[] = [];
  for (const piece of stages.model(words)) {
    const id = stages.model.tokens_to_ids.get(piece) ?? stages.model.unk_token_id;
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

/** End-of-turn tokens that some generation configs forget; a template that writes one ends turns with it. */
const TURN_ENDS = ['<|im_end|>', '<|eot_id|>', '<|end|>', '<end_of_turn>', '<|return|>', '<|call|>'];

function endTokens(parts: TokenizerParts, addedTokens: ReadonlyMap<string, number>): Set<number> {
  const ends = new Set(parts.endTokens);
  const own = parts.tokenizer.token_to_id(parts.specialTokens['eos_token'] ?? '');
  if (own !== undefined) ends.add(own);
  if (ends.size > 1) return ends;
  for (const token of TURN_ENDS) {
    const id = addedTokens.get(token);
    if (id !== undefined && parts.chatTemplate?.includes(token)) ends.add(id);
  }
  return ends;
}

function prefixTokens(tokenizer: Tokenizer, specialTokens: Readonly<Record<string, string>>): number[] {
  const bos = tokenizer.token_to_id(specialTokens['bos_token'] ?? '');
  return bos !== undefined && tokenizer.encode('a').ids[0] === bos ? [bos] : [];
}

/** Pieces that are text as they are. */
function pieceBytes(piece: string): Uint8Array {
  return encoder.encode(piece);
}

/** SentencePiece: `▁` is a space, `<0x0A>` is one byte. */
function sentencePieceBytes(piece: string): Uint8Array {
  const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(piece);
  return byte ? Uint8Array.of(Number.parseInt(byte[1]!, 16)) : encoder.encode(piece.replaceAll('\u2581', ' '));
}

/** WordPiece: `##` continues a word, everything else begins one. */
function wordPieceBytes(piece: string): Uint8Array {
  return encoder.encode(piece.startsWith('##') ? piece.slice(2) : ` ${piece}`);
}
