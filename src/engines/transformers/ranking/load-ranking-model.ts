/** Loads a model that ranks documents: a cross-encoder, or a language model that judges with a word. @module */
import { AutoModel, type PreTrainedModel, type PreTrainedTokenizer } from '@huggingface/transformers';
import type { LoadedModel, LoadOptions } from '../../../core/models/backend.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { deviceLoss } from '../ort/device-loss.js';
import { contextLimit } from '../encoder/context-limit.js';
import { headsOf } from '../cache/sequence-state.js';
import { checkInputs, type FeedOptions, feedsFor } from '../encoder/encoder-feeds.js';
import { EncoderQueue } from '../../../language/embedding/encoder-queue.js';
import { createJudge } from '../../../language/ranking/judge-documents.js';
import { type CrossEncoder, rerank, type TokenPair } from '../../../language/ranking/rank-pairs.js';
import { relevance } from '../../../language/ranking/relevance.js';
import { notSupported } from '../repository/not-supported.js';
import { loadFromSource, type ModelKind } from '../repository/load-from-source.js';
import type { ModelSource } from '../repository/model-source.js';
import { loadTokenizer } from '../repository/pretrained-tokenizer.js';
import { decoderKind } from '../text/load-text-model.js';
import { type OnnxSession, hasFixedBatchOfOne, toFloat32 } from '../ort/onnx-session.js';
import { type ChatTemplateField, chatTemplatesOf } from '../../../language/prompt/text-tokenizer.js';
import { type RerankPrompt, rerankPromptFor, unknownJudge } from '../../../language/ranking/rerank-prompt.js';
import { CHAT_TEMPLATES, isLanguageModel } from '../repository/repository-files.js';
import { PairTemplate, type TokenizerFile } from './pair-template.js';

/**
 * Loads a model of task `rerank`; only `rerank` is there.
 * @throws InferenceError see {@link loadFromSource}
 */
export async function loadRankingModel(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel> {
  return loadFromSource<unknown, LoadedModel>(entry, options, async (source) => {
    const judge = await chooseRerankPrompt(entry, source);
    return judge ? decoderKind(entry, (engine, parts) => createJudge(engine, judge, parts)) : crossEncoderKind(entry);
  });
}

/**
 * How a language model is asked; undefined: the model has a head for classification.
 * @throws InferenceError `model_not_supported`, before the weights are fetched, for a language model that is not known
 */
async function chooseRerankPrompt(
  entry: ModelEntry,
  { readJson, readText }: Pick<ModelSource, 'readJson' | 'readText'>,
): Promise<RerankPrompt | undefined> {
  const config = ((await readJson('config.json')) ?? {}) as {
    architectures?: unknown;
    model_type?: string;
    _name_or_path?: unknown;
  };
  if (!isLanguageModel(config)) return undefined;
  const { model_type: architecture = '', _name_or_path: origin } = config;
  const [template, tokenizer] = await Promise.all([readText(CHAT_TEMPLATES[0]), readJson('tokenizer_config.json')]);
  const { chat_template: field } = (tokenizer ?? {}) as { chat_template?: ChatTemplateField };
  const judge = rerankPromptFor(entry.judgePrompt, {
    architecture,
    names: [entry.source ?? entry.id, typeof origin === 'string' ? origin : undefined],
    templates: [template, chatTemplatesOf(field).chatTemplate],
  });
  if (!judge) throw notSupported(unknownJudge(architecture));
  return judge;
}

function crossEncoderKind(entry: ModelEntry): ModelKind<PreTrainedTokenizer, LoadedModel> {
  return {
    // Its graph is the same for all classes, and this one knows the most architectures.
    open: ({ id, pretrained }) => AutoModel.from_pretrained(id, pretrained),
    read: ({ id }) => loadTokenizer(id),
    assemble: (source, model, tokenizer) => assemble(entry, source, model, tokenizer),
  };
}

async function assemble(
  entry: ModelEntry,
  source: ModelSource,
  model: PreTrainedModel,
  tokenizer: PreTrainedTokenizer,
): Promise<LoadedModel> {
  const session = model.sessions['model'] as OnnxSession;
  const inputs = entry.inputs ?? {};
  checkInputs(session, inputs);
  const config = model.config as unknown as Record<string, unknown>;
  const padToken = tokenizer.pad_token_id ?? 0;
  const logitsOf = (pairs: readonly TokenPair[]): Promise<Float32Array[]> =>
    runPairs(session, pairs, { padToken, inputs, heads: headsOf(config) });
  // Every tokenizer has its file, but it is not declared.
  const file = (tokenizer as unknown as Record<string, unknown>)['_tokenizerJSON'] as TokenizerFile;
  const encode = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false });
  const template = new PairTemplate(file);
  const [sample] = await logitsOf([template.join(encode('a'), encode('a'))]);
  const relevant = relevantLabel(config, sample!.length);
  const encoder: CrossEncoder = {
    encode,
    template,
    queue: new EncoderQueue(async (pairs: readonly TokenPair[]) =>
      (await logitsOf(pairs)).map((logits) => relevance(logits, relevant)),
    ),
    contextLength: contextLimit(config, tokenizer.model_max_length, entry),
  };
  return {
    info: { ...source.info, contextLength: encoder.contextLength },
    lost: deviceLoss(source.info.device),
    rerank: (request, signal) => rerank(request, signal, encoder),
    async unload() {
      await model.dispose();
    },
  };
}

/** The logits of each pair, one for each label. @throws InferenceError `model_not_supported` for a graph without labels */
async function runPairs(
  session: OnnxSession,
  pairs: readonly TokenPair[],
  options: Omit<FeedOptions, 'types'>,
): Promise<Float32Array[]> {
  if (pairs.length > 1 && hasFixedBatchOfOne(session)) {
    const logits: Float32Array[] = [];
    for (const pair of pairs) logits.push(...(await runPairs(session, [pair], options)));
    return logits;
  }
  const batch = pairs.map(({ ids }) => ids);
  const feeds = feedsFor(session, batch, { ...options, types: pairs.map(({ types }) => types) });
  const output = session.outputNames.includes('logits') ? 'logits' : session.outputNames[0]!;
  const results = await session.run(feeds, { [output]: null });
  const { dims } = results[output]!;
  const data = toFloat32(await results[output]!.getData());
  results[output]!.dispose();
  const labels = data.length / pairs.length;
  // One number for each pair may come without a dimension of its own.
  if (dims[0] !== pairs.length || dims.length > 2) {
    throw notSupported('its graph does not score pairs of texts. Use one with a classification head');
  }
  return pairs.map((_, row) => data.slice(row * labels, (row + 1) * labels));
}

/** Names of the label that says that a document is relevant, in lower case. */
const RELEVANT = new Set(['relevant', 'yes', 'true', 'positive', 'entailment']);

/** Which of a model's labels says that a document is relevant: the one with such a name, else the last. */
function relevantLabel({ id2label }: { id2label?: unknown }, labels: number): number {
  const names = (id2label ?? {}) as Readonly<Record<string, unknown>>;
  const found = Object.keys(names).find((id) => RELEVANT.has(String(names[id]).toLowerCase()));
  const label = Number(found ?? labels - 1);
  if (label < labels) return label;
  throw notSupported(`its config names the label ${label}, and its graph has ${labels}`);
}
