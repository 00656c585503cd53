/** Loads an embedding model: transformers.js's ONNX sessions, with our own batching and pooling. @module */
import { AutoModel, AutoTokenizer, type PreTrainedModel, type PreTrainedTokenizer } from '@huggingface/transformers';
import { InferenceError } from '../../../../core/errors/inference-error.js';
import type { ModelEntry } from '../../../../core/models/model-entry.js';
import type { EmbeddingRequest, EmbeddingResult } from '../../../../core/request/embedding-request.js';
import type { LoadedModel, LoadOptions } from '../../../../core/models/backend.js';
import { deviceLoss } from '../device-loss.js';
import { loadFromSource } from '../load-from-source.js';
import type { ModelSource } from '../model-source.js';
import { EmbeddingQueue } from './embedding-queue.js';
import { normaliseVector } from '../../normalise-vector.js';
import { type EmbeddingSession, measureWidth, detectPooling, runEmbeddingBatch } from './embedding-batch.js';
import { exceedsByFar } from '../../../prompt/context-window.js';

/**
 * Loads a model of task `embeddings`; only `embed` is there.
 * @throws InferenceError see {@link loadFromSource}
 */
export async function loadEmbeddingModel(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel> {
  return loadFromSource(entry, options, {
    open: ({ id, pretrained }) => AutoModel.from_pretrained(id, pretrained),
    read: async (source) => {
      const reading = [AutoTokenizer.from_pretrained(source.id), source.readJson('1_Pooling/config.json')] as const;
      const [tokenizer, pooling] = await Promise.all(reading);
      return { tokenizer, pooling };
    },
    assemble: (source, model, texts) => assemble(entry, source, { ...texts, model }),
  });
}

interface LoadedParts {
  tokenizer: PreTrainedTokenizer;
  model: PreTrainedModel;
  /** `1_Pooling/config.json`, when there is one. */
  pooling: unknown;
}

async function assemble(entry: ModelEntry, source: ModelSource, parts: LoadedParts): Promise<LoadedModel> {
  const { tokenizer, model, pooling } = parts;
  const session = model.sessions['model'] as EmbeddingSession;
  const batchOptions = {
    pooling: detectPooling({ pooling, name: entry.source ?? entry.id }),
    padToken: tokenizer.pad_token_id ?? 0,
  };
  const facts = factsOf(model, tokenizer.model_max_length, entry);
  const width = await measureWidth(session, tokenizer.encode('a'), batchOptions);
  const queue = new EmbeddingQueue((batch) => runEmbeddingBatch(session, batch, batchOptions));
  return {
    info: { ...source.info, contextLength: facts.maxTokens, dimensions: width },
    lost: deviceLoss(source.info.device),
    embed: (request, signal) => embed(request, signal, { tokenizer, queue, width, ...facts }),
    async unload() {
      await model.dispose();
    },
  };
}

interface Embedder {
  tokenizer: InputTokenizer;
  queue: EmbeddingQueue;
  width: number;
  maxTokens: number;
  vocabularySize: number;
  allowedDimensions?: readonly number[];
}

async function embed(request: EmbeddingRequest, signal: AbortSignal, embedder: Embedder): Promise<EmbeddingResult> {
  checkDimensions(request.dimensions, embedder);
  const texts = encodeInputs(embedder.tokenizer, request.inputs, embedder);
  const { unique, positions } = withoutRepeats(texts);
  const raw = await embedder.queue.embed(unique, signal);
  return {
    vectors: positions.map((position) => normaliseVector(raw[position]!, request.dimensions)),
    promptTokens: texts.reduce((sum, ids) => sum + ids.length, 0),
  };
}

/** Removes duplicates: `positions` gives the index of each text in `unique`. */
function withoutRepeats(texts: readonly number[][]): { unique: number[][]; positions: number[] } {
  const places = new Map<string, number>();
  const unique: number[][] = [];
  const positions = texts.map((ids) => {
    const key = ids.join(' ');
    const place = places.get(key) ?? unique.push(ids) - 1;
    places.set(key, place);
    return place;
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

/** Limits from the model's config, its tokenizer and its entry, whichever is smallest. */
function factsOf(model: PreTrainedModel, tokenizerLimit: number, entry: ModelEntry) {
  const config = model.config as unknown as Record<string, unknown>;
  const limits = [config['max_position_embeddings'], tokenizerLimit, entry.contextLength].filter(
    // Tokenizers write "no limit" as a number near 1e30.
    (limit): limit is number => typeof limit === 'number' && limit > 0 && limit < 1e9,
  );
  const matryoshka = config['matryoshka_dimensions'];
  return {
    maxTokens: limits.length > 0 ? Math.min(...limits) : 512,
    vocabularySize: typeof config['vocab_size'] === 'number' ? config['vocab_size'] : Number.MAX_SAFE_INTEGER,
    ...(Array.isArray(matryoshka) ? { allowedDimensions: matryoshka as number[] } : {}),
  };
}

/** What this needs of a tokenizer. */
interface InputTokenizer {
  encode(text: string, options?: { add_special_tokens?: boolean }): number[];
}

interface InputLimits {
  /** Maximum number of tokens of one input, special ones included. */
  maxTokens: number;
  /** Token ids are 0 to this, exclusive. */
  vocabularySize: number;
}

/**
 * Ids per input, special tokens included, in input order. Token arrays get the special tokens that a text would get.
 * @throws InferenceError `invalid_request` with param `input.<i>` for an empty or over-long input or an unknown token
 */
function encodeInputs(
  tokenizer: InputTokenizer,
  inputs: readonly (string | readonly number[])[],
  limits: InputLimits,
): number[][] {
  const frame = specialTokens(tokenizer);
  return inputs.map((input, index) => {
    const refuse = (problem: string) =>
      new InferenceError('invalid_request', `Input ${index} ${problem}.`, { param: `input.${index}` });
    if (input.length === 0) throw refuse('is empty');
    if (typeof input !== 'string') {
      const unknown = input.find((id) => !Number.isInteger(id) || id < 0 || id >= limits.vocabularySize);
      if (unknown !== undefined) throw refuse(`holds the token ${unknown}, which this model does not have`);
    }
    if (typeof input === 'string' && exceedsByFar([input], (text) => tokenizer.encode(text).length, limits.maxTokens)) {
      throw refuse(`has many more tokens than the ${limits.maxTokens} that this model reads`);
    }
    const ids = typeof input === 'string' ? tokenizer.encode(input) : [...frame.before, ...input, ...frame.after];
    if (ids.length > limits.maxTokens) {
      throw refuse(`has ${ids.length} tokens; this model reads at most ${limits.maxTokens}`);
    }
    if (ids.length === 0) throw refuse('has no tokens');
    return ids;
  });
}

/** The tokens that the tokenizer adds around a text, such as `[CLS]` and `[SEP]`. */
function specialTokens(tokenizer: InputTokenizer): { before: number[]; after: number[] } {
  const bare = tokenizer.encode('a', { add_special_tokens: false });
  const framed = tokenizer.encode('a');
  const start = framed.findIndex((_, at) => bare.every((id, offset) => framed[at + offset] === id));
  if (start < 0 || bare.length === 0) return { before: [], after: [] };
  return { before: framed.slice(0, start), after: framed.slice(start + bare.length) };
}
