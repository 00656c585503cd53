/** Loads a model that ranks documents: a cross-encoder, or a language model that judges with a word. @module */
import { AutoModel, AutoTokenizer, type PreTrainedModel, type PreTrainedTokenizer } from '@huggingface/transformers';
import { InferenceError, throwIfCancelled } from '../../../../core/errors/inference-error.js';
import type { LoadedModel, LoadOptions } from '../../../../core/models/backend.js';
import type { ModelEntry } from '../../../../core/models/model-entry.js';
import { yieldToEventLoop } from '../../../../core/platform/pause.js';
import type { RankingRequest, RankingResult } from '../../../../core/request/ranking-request.js';
import type { SequenceRequest } from '../../../decoding/text-engine.js';
import { PromptEncoder } from '../../../prompt/encode-prompt.js';
import type { TextTokenizer } from '../../../prompt/text-tokenizer.js';
import { WrongOutput } from '../../../../core/errors/wrong-output.js';
import { documentTokenBudget } from '../../document-token-budget.js';
import { deviceLoss } from '../ort/device-loss.js';
import { contextLimit } from '../encoder/context-limit.js';
import { headsOf } from '../cache/sequence-state.js';
import { checkInputs, type FeedOptions, feedsFor } from '../encoder/encoder-feeds.js';
import { EncoderQueue } from '../encoder/encoder-queue.js';
import { notSupported } from '../repository/not-supported.js';
import { loadFromSource, type ModelKind } from '../repository/load-from-source.js';
import type { ModelSource } from '../repository/model-source.js';
import { decoderKind, type DecoderParts } from '../text/load-text-model.js';
import { type OnnxSession, hasFixedBatchOfOne, toFloat32 } from '../ort/onnx-session.js';
import type { TransformersTextEngine } from '../text/transformers-text-engine.js';
import { type RerankPrompt, rerankPromptFor } from './rerank-prompt.js';
import { PairTemplate, type TokenizerFile, type TokenPair } from './pair-template.js';

/**
 * Loads a model of task `rerank`; only `rerank` is there.
 * @throws InferenceError see {@link loadFromSource}
 */
export async function loadRankingModel(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel> {
  return loadFromSource<unknown, LoadedModel>(entry, options, async ({ readJson }) => {
    const judge = rerankPromptFor(await readJson('config.json'));
    return judge ? decoderKind(entry, (engine, parts) => createJudge(engine, judge, parts)) : crossEncoderKind(entry);
  });
}

function crossEncoderKind(entry: ModelEntry): ModelKind<PreTrainedTokenizer, LoadedModel> {
  return {
    // Its graph is the same for all classes, and this one knows the most architectures.
    open: ({ id, pretrained }) => AutoModel.from_pretrained(id, pretrained),
    read: ({ id }) => AutoTokenizer.from_pretrained(id),
    assemble: (source, model, tokenizer) => assemble(entry, source, model, tokenizer),
  };
}

interface CrossEncoder {
  /** Tokens of a text alone, without control tokens. */
  encode: (text: string) => number[];
  template: PairTemplate;
  queue: EncoderQueue<TokenPair, number>;
  contextLength: number;
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

async function rerank(
  { query, documents, maxTokensPerDocument }: RankingRequest,
  signal: AbortSignal,
  { encode, template, queue, contextLength }: CrossEncoder,
): Promise<RankingResult> {
  const asked = firstTokens(query, contextLength, encode);
  const control = template.controlTokens;
  const room = documentTokenBudget({ contextLength, query: asked.length, control, maxTokensPerDocument });
  const pairs: TokenPair[] = [];
  for (const document of documents) {
    pairs.push(template.join(asked, firstTokens(document, room, encode)));
    // Many documents take long, and the client may cancel meanwhile.
    await yieldToEventLoop();
    throwIfCancelled(signal);
  }
  const scores = await queue.run(pairs, signal);
  return { scores, promptTokens: pairs.reduce((sum, { length }) => sum + length, 0) };
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
    throw notSupported('its graph does not score pairs of texts: take one with a head for classification');
  }
  return pairs.map((_, row) => data.slice(row * labels, (row + 1) * labels));
}

/** Documents are read one after another; what they have in common, the query, is read once. */
function createJudge(engine: TransformersTextEngine, judge: RerankPrompt, parts: DecoderParts): LoadedModel {
  const { tokenizer, contextLength } = engine;
  const markup = new PromptEncoder(tokenizer, '');
  const words = [wordToken(tokenizer, judge.no), wordToken(tokenizer, judge.yes)] as const;
  // The engine reads one prompt at a time.
  let last: Promise<unknown> = Promise.resolve();

  async function score(prompt: Pick<SequenceRequest, 'promptTokens' | 'caller'>, signal: AbortSignal): Promise<number> {
    throwIfCancelled(signal);
    const sequence = await engine.open({ ...prompt, need: { type: 'all' }, signal });
    try {
      const logits = (await sequence.prefill(signal)) as Float32Array;
      return relevance(
        words.map((token) => logits[token]!),
        1,
      );
    } finally {
      await sequence.close();
    }
  }

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  async function rerank(request: RankingRequest, signal: AbortSignal): Promise<RankingResult> {
    const { query, documents, maxTokensPerDocument, caller } = request;
    const { before, lead, after } = judge.promptOf(query);
    // Control tokens are those of the prompt; in a query or a document their names are text.
    const [start, ...asked] = before;
    const end = after.flatMap((piece) => markup.encode(piece));
    const head = [
      ...markup.encode(start!),
      ...asked.flatMap((piece) => firstTokens(piece, contextLength, (text) => tokenizer.encodeText(text))),
    ];
    const leadSize = firstTokens(lead.trimEnd(), contextLength, (text) => tokenizer.encodeText(text)).length;
    const control = end.length;
    const room = documentTokenBudget({ contextLength, query: head.length + leadSize, control, maxTokensPerDocument });
    const scores: number[] = [];
    let promptTokens = 0;
    for (const document of documents) {
      // The space before a document and its first word are one token.
      const body = firstTokens(lead + document, leadSize + room, (text) => tokenizer.encodeText(text));
      const prompt = [...head, ...body, ...end];
      promptTokens += prompt.length;
      scores.push(await inTurn(() => score({ promptTokens: prompt, caller }, signal)));
    }
    return { scores, promptTokens };
  }

  return { ...parts, info: { ...parts.info, contextLength }, rerank };
}

/** @throws InferenceError `model_not_supported` when the word is not one token */
function wordToken(tokenizer: TextTokenizer, word: string): number {
  const [token, ...more] = tokenizer.encodeText(word);
  if (token !== undefined && more.length === 0) return token;
  throw new InferenceError(
    'model_not_supported',
    `This model cannot rank: \`${word}\` is not a single token of its vocabulary.`,
    {
      param: 'model',
    },
  );
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

/**
 * From 0 to 1: the sigmoid of a single logit, else the share of the relevant label in the softmax.
 * @param logits of one pair, one for each label
 * @throws WrongOutput when they give no score
 */
function relevance(logits: ArrayLike<number>, relevant: number): number {
  const score = logits.length === 1 ? 1 / (1 + Math.exp(-logits[0]!)) : softmax(Array.from(logits), relevant);
  if (!Number.isNaN(score)) return score;
  throw new WrongOutput('the logits of a document give no score, because some are NaN, infinite or missing');
}

function softmax(values: readonly number[], label: number): number {
  const most = Math.max(...values);
  const sum = values.reduce((total, value) => total + Math.exp(value - most), 0);
  return Math.exp(values[label]! - most) / sum;
}

/** Characters that are enough for one token in nearly all texts. */
const CHARACTERS_PER_TOKEN = 8;

/** Tokens that the end of a piece may change, because the text goes on behind it. */
const MARGIN = 16;

/**
 * The first tokens of a text, without reading much more of it: a text may be megabytes long, and a tokenizer takes seconds
 * for that.
 * @param most of them, at least 1
 * @param encode gives the tokens of a text, without control tokens
 */
export function firstTokens(text: string, most: number, encode: (text: string) => number[]): number[] {
  for (let length = (most + MARGIN) * CHARACTERS_PER_TOKEN; length < text.length; length *= 2) {
    const tokens = encode(text.slice(0, length));
    if (tokens.length >= most + MARGIN) return tokens.slice(0, most);
  }
  return encode(text).slice(0, most);
}
