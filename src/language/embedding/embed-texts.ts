/** Texts of requests as vectors, whatever engine runs the model: prompts, limits, repeated inputs and lengths of vectors. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { checkFinite } from '../../core/errors/wrong-output.js';
import type {
  EmbeddingRequest,
  EmbeddingResult,
  Truncation,
  Measure,
  MeasureRequest,
} from '../../core/request/embedding-request.js';
import { estimateHugeLength } from '../prompt/context-window.js';
import { type EmbeddingPrompts, promptFor } from './embedding-prompts.js';
import type { EncoderQueue } from './encoder-queue.js';
import { normaliseVector } from './normalise-vector.js';
import type { TokenizedText } from './pooling.js';
import { tokensWithin, truncated } from './truncate-tokens.js';

/** A model of embeddings. */
export interface Embedder {
  tokenizer: InputTokenizer;
  /** Gives vectors that are not scaled to length 1. */
  queue: EncoderQueue<TokenizedText, Float32Array>;
  prompts: EmbeddingPrompts;
  /** The tokens of a prompt are pooled like those of the text. */
  poolsPrompt: boolean;
  width: number;
  maxTokens: number;
  vocabularySize: number;
  allowedDimensions?: readonly number[];
  /** What is said when a request cuts vectors; undefined: it was trained for that. */
  shortVectorsWarning: string | undefined;
}

/** @throws InferenceError `invalid_request` with `param`, `cancelled`; what the model throws */
export async function embed(
  request: EmbeddingRequest,
  signal: AbortSignal,
  embedder: Embedder,
): Promise<EmbeddingResult> {
  checkDimensions(request.dimensions, embedder);
  const { tokenizer, poolsPrompt } = embedder;
  const prompt = promptFor(embedder.prompts, request.inputType);
  const inputs = request.inputs.map((input) => (typeof input === 'string' ? prompt + input : input));
  const left = poolsPrompt || prompt === '' ? 0 : promptLength(tokenizer, prompt);
  const encoding = { ...embedder, prompt, truncate: request.truncate };
  const texts = encodeInputs(tokenizer, inputs, encoding).map((ids, index) => ({
    ids,
    pooledFrom: typeof inputs[index] === 'string' ? Math.min(left, ids.length - 1) : 0,
    length: ids.length,
  }));
  const { unique, positions } = withoutRepeats(texts);
  const raw = await embedder.queue.run(unique, signal);
  for (const vector of raw) checkFinite(vector, 'an embedding');
  const warning = (request.dimensions ?? embedder.width) < embedder.width ? embedder.shortVectorsWarning : undefined;
  return {
    vectors: positions.map((position) => normaliseVector(raw[position]!, request.dimensions)),
    promptTokens: texts.reduce((sum, { length }) => sum + length, 0),
    ...(warning !== undefined && { warning }),
  };
}

/** Tokens of texts that are to be embedded. */
export async function measure(
  { texts, inputType }: MeasureRequest,
  { tokenizer, prompts }: Pick<Embedder, 'tokenizer' | 'prompts'>,
): Promise<Measure> {
  const bare = (text: string): number => tokenizer.encode(text, { add_special_tokens: false }).length;
  const prompt = promptFor(prompts, inputType);
  return { tokens: texts.map(bare), frame: tokenizer.encode(`${prompt}a`).length - bare('a') };
}

/** Removes duplicates: `positions` gives the index of each text in `unique`. */
function withoutRepeats(texts: readonly TokenizedText[]): { unique: TokenizedText[]; positions: number[] } {
  const slots = new Map<string, number>();
  const unique: TokenizedText[] = [];
  const positions = texts.map((text) => {
    const key = `${text.pooledFrom} ${text.ids.join(' ')}`;
    const slot = slots.get(key) ?? unique.push(text) - 1;
    slots.set(key, slot);
    return slot;
  });
  return { unique, positions };
}

function checkDimensions(dimensions: number | undefined, { width, allowedDimensions }: Embedder): void {
  if (dimensions === undefined || dimensions === width) return;
  const allowed = allowedDimensions?.join(', ') ?? `1 to ${width}`;
  const possible = allowedDimensions?.includes(dimensions) ?? (dimensions >= 1 && dimensions <= width);
  if (possible) return;
  throw new InferenceError('invalid_request', `\`dimensions\` must be one of: ${allowed} for this model.`, {
    param: 'dimensions',
  });
}

/** What this needs of a tokenizer. */
export interface InputTokenizer {
  encode(text: string, options?: { add_special_tokens?: boolean }): number[];
}

interface InputEncoding {
  /** Maximum number of tokens of one input, special ones included. */
  maxTokens: number;
  /** Token ids are 0 to this, exclusive. */
  vocabularySize: number;
  /** Stands before each text. */
  prompt: string;
  truncate: Truncation | undefined;
}

/** The ids of an input, of which so many are left as the model reads. */
function cutInput(
  tokenizer: InputTokenizer,
  input: string | readonly number[],
  truncate: Truncation,
  { prompt, maxTokens: limit }: InputEncoding,
): number[] {
  const { side } = truncate;
  const encode = (text: string): number[] => tokenizer.encode(text);
  const frame = specialTokens(tokenizer);
  const after = frame.after.length;
  if (typeof input !== 'string') {
    const ids = [...frame.before, ...input, ...frame.after];
    return truncated(ids, truncate, limit, { before: frame.before.length, after });
  }
  if (side === 'end') {
    return truncated(tokensWithin(input, { side, limit, encode }), truncate, limit, {
      before: frame.before.length,
      after,
    });
  }
  // What stands before the text, its prompt too, stays where the text loses its beginning.
  const before = prompt === '' ? frame.before : encode(prompt).slice(0, promptLength(tokenizer, prompt));
  const text = tokensWithin(input.slice(prompt.length), { side, limit, encode }).slice(frame.before.length);
  return truncated([...before, ...text], truncate, limit, { before: before.length, after });
}

/**
 * Ids per input, special tokens included, in input order. Token arrays get the special tokens that a text would get.
 * @throws InferenceError `invalid_request` with param `input.<i>` for an empty or over-long input or an unknown token
 */
function encodeInputs(
  tokenizer: InputTokenizer,
  inputs: readonly (string | readonly number[])[],
  limits: InputEncoding,
): number[][] {
  let known: ReturnType<typeof specialTokens> | undefined;
  const frame = (): ReturnType<typeof specialTokens> => (known ??= specialTokens(tokenizer));
  return inputs.map((input, index) => {
    const refuse = (problem: string) =>
      new InferenceError('invalid_request', `Input ${index} ${problem}.`, { param: `input.${index}` });
    if (input.length === 0) throw refuse('is empty');
    if (typeof input !== 'string') {
      const unknown = input.find((id) => !Number.isInteger(id) || id < 0 || id >= limits.vocabularySize);
      if (unknown !== undefined)
        throw refuse(`contains the token id ${unknown}, which is not in this model's vocabulary`);
    }
    if (limits.truncate) {
      const ids = cutInput(tokenizer, input, limits.truncate, limits);
      if (ids.length === 0) throw refuse('has no tokens');
      return ids;
    }
    const tooMany =
      typeof input === 'string' &&
      estimateHugeLength([input], (text) => tokenizer.encode(text).length, limits.maxTokens);
    if (tooMany) throw refuse(`has about ${tooMany} tokens, but ${mostTokens(limits.maxTokens)}`);
    const ids = typeof input === 'string' ? tokenizer.encode(input) : [...frame().before, ...input, ...frame().after];
    if (ids.length > limits.maxTokens) {
      throw refuse(`has ${ids.length} tokens, but ${mostTokens(limits.maxTokens)}`);
    }
    if (ids.length === 0) throw refuse('has no tokens');
    return ids;
  });
}

/** The end of a sentence about a text that is too long, in the words that programs look for. */
export function mostTokens(limit: number): string {
  return `this model's maximum context length is ${limit} tokens`;
}

/** Tokens of a prompt and of what stands before it; what ends a text does not. */
function promptLength(tokenizer: InputTokenizer, prompt: string): number {
  return tokenizer.encode(prompt).length - specialTokens(tokenizer).after.length;
}

/** The tokens that the tokenizer adds around a text, such as `[CLS]` and `[SEP]`. */
function specialTokens(tokenizer: InputTokenizer): { before: number[]; after: number[] } {
  const bare = tokenizer.encode('a', { add_special_tokens: false });
  const framed = tokenizer.encode('a');
  const start = framed.findIndex((_, at) => bare.every((id, offset) => framed[at + offset] === id));
  if (start < 0 || bare.length === 0) return { before: [], after: [] };
  return { before: framed.slice(0, start), after: framed.slice(start + bare.length) };
}
