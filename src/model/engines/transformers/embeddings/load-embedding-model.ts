/** Loads an embedding model: transformers.js's ONNX sessions, with our own batching and pooling. @module */
import { AutoModel, AutoTokenizer, type PreTrainedModel, type PreTrainedTokenizer } from '@huggingface/transformers';
import { InferenceError } from '../../../../core/errors/inference-error.js';
import type { Pooling } from '../../../../core/models/embedding-fields.js';
import type { ModelEntry } from '../../../../core/models/model-entry.js';
import type { EmbeddingRequest, EmbeddingResult } from '../../../../core/request/embedding-request.js';
import type { LoadedModel, LoadOptions } from '../../../../core/models/backend.js';
import { deviceLoss } from '../ort/device-loss.js';
import { loadFromSource } from '../repository/load-from-source.js';
import type { ModelSource } from '../repository/model-source.js';
import { EncoderQueue } from '../encoder/encoder-queue.js';
import { type EmbeddingPrompts, promptFor } from '../../embedding-prompts.js';
import { normaliseVector } from '../../normalise-vector.js';
import { checkFinite } from '../../../../core/errors/wrong-output.js';
import {
  type BatchOptions,
  type EmbeddingSession,
  measureWidth,
  poolsItself,
  runEmbeddingBatch,
} from './embedding-batch.js';
import { contextLimit } from '../encoder/context-limit.js';
import { headsOf } from '../cache/sequence-state.js';
import { checkInputs, isCache } from '../encoder/encoder-feeds.js';
import { notSupported } from '../repository/not-supported.js';
import { detectPooling, type TokenizedText } from './pooling.js';
import { readPrompts } from '../repository/sentence-files.js';
import { readSentenceModules, type SentenceModules } from './sentence-modules.js';
import { estimateHugeLength } from '../../../prompt/context-window.js';

/**
 * Loads a model of task `embeddings`; only `embed` is there.
 * @throws InferenceError see {@link loadFromSource}
 */
export async function loadEmbeddingModel(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel> {
  return loadFromSource(entry, options, {
    open: ({ id, pretrained }) => AutoModel.from_pretrained(id, pretrained),
    read: async (source) => {
      const { readJson, readBytes } = source;
      const [tokenizer, modules, prompts] = await Promise.all([
        AutoTokenizer.from_pretrained(source.id),
        readSentenceModules(readJson, readBytes),
        readPrompts(readJson),
      ]);
      return { tokenizer, modules, prompts };
    },
    assemble: (source, model, texts) => assemble(entry, source, { ...texts, model }),
  });
}

interface LoadedParts {
  tokenizer: PreTrainedTokenizer;
  model: PreTrainedModel;
  modules: SentenceModules;
  prompts: EmbeddingPrompts;
}

async function assemble(entry: ModelEntry, source: ModelSource, parts: LoadedParts): Promise<LoadedModel> {
  const { tokenizer, model, modules } = parts;
  const session = model.sessions['model'] as EmbeddingSession;
  const inputs = entry.inputs ?? {};
  checkInputs(session, inputs);
  const poolings = poolsItself(session) ? [] : poolingOf(entry, source, model, modules);
  const batchOptions: BatchOptions = {
    poolings,
    layers: modules.layers,
    padToken: tokenizer.pad_token_id ?? 0,
    inputs,
    heads: headsOf(model.config as unknown as Record<string, unknown>),
  };
  const facts = factsOf(model, tokenizer.model_max_length, entry);
  const width = await measureWidth(session, tokenizer.encode('a'), batchOptions);
  const prompts = { ...parts.prompts, ...(entry.prompts && { prompts: entry.prompts }) };
  const poolsPrompt = (modules.pooling as { include_prompt?: unknown } | undefined)?.include_prompt !== false;
  const queue = new EncoderQueue((batch: readonly TokenizedText[]) => runEmbeddingBatch(session, batch, batchOptions));
  return {
    info: {
      ...source.info,
      contextLength: facts.maxTokens,
      dimensions: width,
    },
    lost: deviceLoss(source.info.device),
    embed: (request, signal) => embed(request, signal, { tokenizer, queue, width, prompts, poolsPrompt, ...facts }),
    async unload() {
      await model.dispose();
    },
  };
}

/** How hidden states are pooled, with a warning where that is a guess. @throws InferenceError `model_not_supported` */
function poolingOf(
  entry: ModelEntry,
  source: ModelSource,
  model: PreTrainedModel,
  { pooling, refusal }: SentenceModules,
): readonly Pooling[] {
  if (refusal !== undefined) throw notSupported(refusal);
  const { architectures = [] } = model.config as { architectures?: readonly string[] };
  const { inputMetadata } = model.sessions['model'] as EmbeddingSession;
  const poolings = detectPooling({
    configured: entry.pooling,
    file: pooling,
    name: entry.source ?? entry.id,
    isDecoder: architectures.some((name) => name.endsWith('ForCausalLM')) || inputMetadata.some(isCache),
  });
  if (poolings) return poolings;
  source.warn(
    'its files do not name a pooling (`1_Pooling/config.json` is missing), so the mean is used: set `pooling` in its entry.',
  );
  return ['mean'];
}

interface Embedder {
  tokenizer: InputTokenizer;
  queue: EncoderQueue<TokenizedText, Float32Array>;
  prompts: EmbeddingPrompts;
  /** The tokens of a prompt are pooled like those of the text. */
  poolsPrompt: boolean;
  width: number;
  maxTokens: number;
  vocabularySize: number;
  allowedDimensions?: readonly number[];
}

async function embed(request: EmbeddingRequest, signal: AbortSignal, embedder: Embedder): Promise<EmbeddingResult> {
  checkDimensions(request.dimensions, embedder);
  const { tokenizer, poolsPrompt } = embedder;
  const prompt = promptFor(embedder.prompts, request.inputType);
  const inputs = request.inputs.map((input) => (typeof input === 'string' ? prompt + input : input));
  const left = poolsPrompt || prompt === '' ? 0 : promptLength(tokenizer, prompt);
  const texts = encodeInputs(tokenizer, inputs, embedder).map((ids, index) => ({
    ids,
    pooledFrom: typeof inputs[index] === 'string' ? Math.min(left, ids.length - 1) : 0,
    length: ids.length,
  }));
  const { unique, positions } = withoutRepeats(texts);
  const raw = await embedder.queue.run(unique, signal);
  for (const vector of raw) checkFinite(vector, 'an embedding');
  return {
    vectors: positions.map((position) => normaliseVector(raw[position]!, request.dimensions)),
    promptTokens: texts.reduce((sum, { length }) => sum + length, 0),
  };
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

function factsOf(model: PreTrainedModel, tokenizerLimit: number, entry: ModelEntry) {
  const config = model.config as unknown as Record<string, unknown>;
  const matryoshka = config['matryoshka_dimensions'];
  return {
    maxTokens: contextLimit(config, tokenizerLimit, entry),
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
      if (unknown !== undefined)
        throw refuse(`contains the token id ${unknown}, which is not in this model's vocabulary`);
    }
    const tooMany =
      typeof input === 'string' &&
      estimateHugeLength([input], (text) => tokenizer.encode(text).length, limits.maxTokens);
    if (tooMany) throw refuse(`has about ${tooMany} tokens; this model reads at most ${limits.maxTokens}`);
    const ids = typeof input === 'string' ? tokenizer.encode(input) : [...frame.before, ...input, ...frame.after];
    if (ids.length > limits.maxTokens) {
      throw refuse(`has ${ids.length} tokens; this model reads at most ${limits.maxTokens}`);
    }
    if (ids.length === 0) throw refuse('has no tokens');
    return ids;
  });
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
