/** A TextTokenizer over the tokenizers of transformers.js: byte-level BPE, SentencePiece with byte fallback, WordPiece. @module */
import type { PreTrainedTokenizer } from '@huggingface/transformers';
import type { TextTokenizer } from '../../../decoding/text-engine.js';
import { byteLevelBytes, pieceBytes, sentencePieceBytes, wordPieceBytes } from './token-bytes.js';

/** The parts of @huggingface/tokenizers' Tokenizer that are needed to leave added tokens out. */
interface InnerTokenizer {
  normalizer: ((text: string) => string) | null;
  pre_tokenizer: ((text: string, options: { section_index: number }) => string[]) | null;
  model: ((tokens: string[]) => string[]) & {
    vocab: (string | undefined)[];
    tokens_to_ids: Map<string, number>;
    unk_token_id?: number;
  };
  get_added_tokens_decoder(): Map<number, { content: string }>;
}

interface TokenizerJson {
  decoder?: DecoderJson | null;
}

interface DecoderJson {
  type: string;
  decoders?: DecoderJson[];
}

/** What is not in the tokenizer's own files. */
export interface TextTokenizerOptions {
  /** `eos_token_id` of the generation config and config. */
  endTokens: readonly number[];
  chatTemplate: string | undefined;
}

const encoder = new TextEncoder();

/** Reads transformers.js's tokenizer once; afterwards it is not needed for anything but its vocabulary. */
export function createTextTokenizer(pretrained: PreTrainedTokenizer, options: TextTokenizerOptions): TextTokenizer {
  const inner = (pretrained as unknown as { _tokenizer: InnerTokenizer })._tokenizer;
  const json = (pretrained as unknown as { _tokenizerJSON: TokenizerJson })._tokenizerJSON;
  const added = inner.get_added_tokens_decoder();
  const addedTokens = new Map([...added].map(([id, { content }]) => [content, id] as const));
  const vocabularySize = Math.max(inner.model.vocab.length, ...[...added.keys()].map((id) => id + 1));
  const bytesOfPiece = pieceDecoder(json);
  const bytes: (Uint8Array | undefined)[] = [];

  function bytesOf(token: number): Uint8Array {
    const known = bytes[token];
    if (known) return known;
    const special = added.get(token);
    const made = special ? encoder.encode(special.content) : bytesOfPiece(inner.model.vocab[token] ?? '');
    bytes[token] = made;
    return made;
  }

  return {
    vocabularySize,
    endTokens: endTokens(pretrained, options, addedTokens),
    addedTokens,
    encodeText: (text) => encodeWithoutAddedTokens(text, inner, added),
    bytesOf,
    ...(options.chatTemplate !== undefined && { chatTemplate: options.chatTemplate }),
    templateVariables: templateVariables(pretrained),
    prefixTokens: prefixTokens(pretrained),
  };
}

/** How a model's pieces of text stand for bytes, read from its decoder. */
function pieceDecoder(json: TokenizerJson): (piece: string) => Uint8Array {
  const types = decoderTypes(json.decoder);
  if (types.includes('ByteLevel')) return byteLevelBytes;
  if (types.includes('WordPiece')) return wordPieceBytes;
  if (types.some((type) => type === 'Metaspace' || type === 'ByteFallback' || type === 'Replace'))
    return sentencePieceBytes;
  return pieceBytes;
}

function decoderTypes(decoder: DecoderJson | null | undefined): string[] {
  return decoder ? [decoder.type, ...(decoder.decoders ?? []).flatMap(decoderTypes)] : [];
}

function encodeWithoutAddedTokens(
  text: string,
  inner: InnerTokenizer,
  added: ReadonlyMap<number, { content: string }>,
): number[] {
  const ids = encodePlain(text, inner);
  // Some vocabularies hold control tokens as ordinary pieces too; broken up they are text.
  const found = ids.find((id) => added.has(id) && text.includes(added.get(id)!.content));
  if (found === undefined) return ids;
  const { content } = added.get(found)!;
  if (content.length < 2 || content.trim() === '') return ids;
  return text
    .split(content)
    .flatMap((part, index) => [
      ...(index === 0 ? [] : [...content].flatMap((character) => encodePlain(character, inner))),
      ...(part === '' ? [] : encodeWithoutAddedTokens(part, inner, added)),
    ]);
}

function encodePlain(text: string, inner: InnerTokenizer): number[] {
  const normalized = inner.normalizer ? inner.normalizer(text) : text;
  if (normalized === '') return [];
  // Stretches of a chat prompt follow control tokens, so none of them is the first section.
  const words = inner.pre_tokenizer ? inner.pre_tokenizer(normalized, { section_index: 1 }) : [normalized];
  const { model } = inner;
  const ids: number[] = [];
  for (const piece of model(words)) {
    const id = model.tokens_to_ids.get(piece) ?? model.unk_token_id;
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

/** End-of-turn tokens that some generation configs forget; a template that writes one ends turns with it. */
const TURN_ENDS = ['<|im_end|>', '<|eot_id|>', '<|end|>', '<end_of_turn>', '<|return|>', '<|call|>'];

function endTokens(
  pretrained: PreTrainedTokenizer,
  options: TextTokenizerOptions,
  addedTokens: ReadonlyMap<string, number>,
): Set<number> {
  const ends = new Set(options.endTokens);
  const own = (pretrained as unknown as { eos_token_id?: number }).eos_token_id;
  if (own !== undefined) ends.add(own);
  if (ends.size > 1) return ends;
  for (const token of TURN_ENDS) {
    const id = addedTokens.get(token);
    if (id !== undefined && options.chatTemplate?.includes(token)) ends.add(id);
  }
  return ends;
}

function templateVariables(pretrained: PreTrainedTokenizer): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const name of ['bos_token', 'eos_token', 'pad_token', 'unk_token', 'sep_token', 'cls_token']) {
    const value = (pretrained as unknown as Record<string, unknown>)[name];
    if (typeof value === 'string') variables[name] = value;
  }
  return variables;
}

function prefixTokens(pretrained: PreTrainedTokenizer): number[] {
  const bos = (pretrained as unknown as { bos_token_id?: number }).bos_token_id;
  return bos !== undefined && pretrained.encode('a')[0] === bos ? [bos] : [];
}
