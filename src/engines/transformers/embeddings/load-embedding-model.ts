/** Loads an embedding model: transformers.js's ONNX sessions, with our own batching and pooling. @module */
import { AutoModel, type PreTrainedModel, type PreTrainedTokenizer } from '@huggingface/transformers';
import type { Pooling } from '../../../core/models/embedding-fields.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { LoadedModel, LoadOptions } from '../../../core/models/backend.js';
import { deviceLoss } from '../ort/device-loss.js';
import { loadFromSource } from '../repository/load-from-source.js';
import type { ModelSource } from '../repository/model-source.js';
import { embed, type InputTokenizer, measure } from '../../../language/embedding/embed-texts.js';
import { EncoderQueue } from '../../../language/embedding/encoder-queue.js';
import type { EmbeddingPrompts } from '../../../language/embedding/embedding-prompts.js';
import {
  type BatchOptions,
  type EmbeddingSession,
  measureWidth,
  poolsItself,
  runEmbeddingBatch,
} from './embedding-batch.js';
import { contextLimit } from '../encoder/context-limit.js';
import { headsOf } from '../cache/sequence-state.js';
import { checkInputs, isCache, isTokenTable } from '../encoder/encoder-feeds.js';
import { notSupported } from '../repository/not-supported.js';
import { loadTokenizer } from '../repository/pretrained-tokenizer.js';
import { detectPooling, type TokenizedText } from '../../../language/embedding/pooling.js';
import { readMaxLength, readPrompts } from '../repository/sentence-files.js';
import { shortVectorsWarning } from '../../../language/embedding/cut-vectors.js';
import { readSentenceModules, type SentenceModules } from './sentence-modules.js';

/**
 * Loads a model of task `embeddings`; only `embed` is there.
 * @throws InferenceError see {@link loadFromSource}
 */
export async function loadEmbeddingModel(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel> {
  return loadFromSource(entry, options, {
    open: ({ id, pretrained }) => AutoModel.from_pretrained(id, pretrained),
    read: async (source) => {
      const { readJson, readBytes } = source;
      const [tokenizer, modules, prompts, maxLength] = await Promise.all([
        loadTokenizer(source.id),
        readSentenceModules(readJson, readBytes),
        readPrompts(readJson),
        readMaxLength(readJson),
      ]);
      return { tokenizer, modules, prompts, maxLength };
    },
    assemble: (source, model, texts) => assemble(entry, source, { ...texts, model }),
  });
}

interface LoadedParts {
  tokenizer: PreTrainedTokenizer;
  model: PreTrainedModel;
  modules: SentenceModules;
  prompts: EmbeddingPrompts;
  /** Tokens that it was made to read, which may be less than it can. */
  maxLength: number | undefined;
}

async function assemble(entry: ModelEntry, source: ModelSource, parts: LoadedParts): Promise<LoadedModel> {
  const { model, modules } = parts;
  const session = model.sessions['model'] as EmbeddingSession;
  const tokenizer = isTokenTable(session) ? bareTokenizer(parts.tokenizer) : parts.tokenizer;
  const inputs = entry.inputs ?? {};
  checkInputs(session, inputs);
  const poolings = poolsItself(session) ? [] : choosePooling(entry, source, model, modules);
  const batchOptions: BatchOptions = {
    poolings,
    layers: modules.layers,
    padToken: parts.tokenizer.pad_token_id ?? 0,
    inputs,
    heads: headsOf(model.config as unknown as Record<string, unknown>),
  };
  // Who wants to read more than it was made for says so.
  const madeFor = entry.contextLength === undefined ? (parts.maxLength ?? Infinity) : Infinity;
  const facts = factsOf(model, Math.min(parts.tokenizer.model_max_length ?? Infinity, madeFor), entry);
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
    measure: (request) => measure(request, { tokenizer, prompts }),
    async unload() {
      await model.dispose();
    },
  };
}

/** Tables have no use for control tokens, nor for the token of unknown words where a text has others. */
function bareTokenizer(tokenizer: PreTrainedTokenizer): InputTokenizer {
  return {
    encode(text) {
      const ids = tokenizer.encode(text, { add_special_tokens: false });
      const known = ids.filter((id) => id !== tokenizer.unk_token_id);
      return known.length > 0 ? known : ids;
    },
  };
}

/** How hidden states are pooled, with a warning where that is a guess. @throws InferenceError `model_not_supported` */
function choosePooling(
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

function factsOf(model: PreTrainedModel, tokenizerLimit: number, entry: ModelEntry) {
  const config = model.config as unknown as Record<string, unknown>;
  const matryoshka = config['matryoshka_dimensions'];
  const allowedDimensions = Array.isArray(matryoshka) ? (matryoshka as number[]) : undefined;
  return {
    maxTokens: contextLimit(config, tokenizerLimit, entry),
    vocabularySize: typeof config['vocab_size'] === 'number' ? config['vocab_size'] : Number.MAX_SAFE_INTEGER,
    ...(allowedDimensions && { allowedDimensions }),
    shortVectorsWarning: shortVectorsWarning(entry.source ?? entry.id, allowedDimensions),
  };
}
