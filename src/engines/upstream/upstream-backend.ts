/** Models of a remote `/v1`. Requests for them leave the device. @module */
import * as v from 'valibot';
import { InferenceError, isInferenceError, throwIfCancelled } from '../../core/errors/inference-error.js';
import { assumedContextLength } from '../../core/models/assumed-context-length.js';
import type { TokenEvent } from '../../core/events/token-event.js';
import type { Backend, LoadedModel, ModelInfo } from '../../core/models/backend.js';
import type { DecisionRequest, DecisionResult } from '../../core/request/decision-request.js';
import type { EmbeddingRequest, EmbeddingResult } from '../../core/request/embedding-request.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { RankingRequest, RankingResult } from '../../core/request/ranking-request.js';
import { OPENAI_VOICES, type SpeechEvent, type SpeechRequest } from '../../core/request/speech-request.js';
import { promptFor } from '../../language/embedding/embedding-prompts.js';
import { normaliseVector } from '../../language/embedding/normalise-vector.js';
import { refuseContinued } from '../common/refuse-continued.js';
import { toUpstreamRequest } from './chat-body.js';
import { readChunks } from './read-chunks.js';
import { broken, readAnswer, readEventStream, SilenceWatch, tokenCount } from './read-event-stream.js';
import { transcribeRemotely } from './transcribe-remotely.js';
import { UpstreamClient } from './upstream-client.js';
import { recordOf } from '../../core/schema/record-of.js';

/** Loads at once and downloads nothing. There is no `countTokens`, because the tokenizer is unknown. */
export const upstreamBackend: Backend = {
  async load(entry, { signal, pageURL }) {
    signal.throwIfAborted();
    const client = new UpstreamClient(entry, pageURL);
    const info: ModelInfo = {
      contextLength: entry.contextLength ?? assumedContextLength(entry),
      device: 'none',
      threads: 1,
      toolFormat: 'none',
      reasoningFormat: 'none',
      images: true,
      concurrency: Infinity,
    };
    const model: LoadedModel = { info, lost: new Promise(() => {}), unload: async () => {} };
    const limits = new FieldSupport();
    if (entry.task === 'chat') {
      model.generate = (request, stop) => generate({ client, limits }, request, stop);
      model.decide = (request, stop) => forwardDecision(client, request, stop);
    }
    if (entry.task === 'embeddings') model.embed = (request, stop) => embed(client, request, stop, entry.prompts);
    if (entry.task === 'rerank') {
      const ranker = new RemoteRanker(client);
      model.rerank = (request, stop) => ranker.rank(request, stop);
    }
    if (entry.task === 'speech-to-text')
      model.transcribe = (request, stop) => transcribeRemotely(client, request, stop);
    if (entry.task === 'text-to-speech') {
      // Those that every service knows; what others it has, it checks itself.
      info.voices = OPENAI_VOICES.map((id) => ({ id, name: id, language: null }));
      model.speak = (request, stop) => speakRemotely(client, request, stop);
    }
    return model;
  },
};

async function* generate(
  { client, limits }: { client: UpstreamClient; limits: FieldSupport },
  request: GenerationRequest,
  signal: AbortSignal,
): AsyncGenerator<TokenEvent[], void> {
  refuseContinued(request, 'an upstream model');
  refuseScoredPrompt(request);
  const { path, body } = toUpstreamRequest(request, client.model);
  // The consumer may leave before it has read anything of the stream.
  const left = new AbortController();
  const stop = AbortSignal.any([signal, left.signal]);
  try {
    const post = (sent: Record<string, unknown>): Promise<Response> =>
      client.post(path, sent, stop).catch((refusal: unknown) => {
        if (!limits.learn(refusal, sent)) throw refusal;
        return post(limits.apply(body));
      });
    const response = await post(limits.apply(body));
    yield* readChunks(readEventStream(response, stop), request);
  } catch (thrown) {
    throw client.report(thrown);
  } finally {
    left.abort();
  }
}

/** The service decides by itself: its answer is given back as it is. */
async function forwardDecision(
  client: UpstreamClient,
  { forward: { path, body } }: DecisionRequest,
  signal: AbortSignal,
): Promise<DecisionResult> {
  const answer = await client.postForJson(path, { ...body, model: client.model }, signal);
  return { type: 'forwarded', body: readAnswer(recordOf(v.string(), v.unknown()), answer) };
}

/** The service may know the log-probabilities of a prompt, but tells them in a form of its own. */
function refuseScoredPrompt({ promptLogprobs }: GenerationRequest): void {
  if (!promptLogprobs) return;
  const message = '`echo` with `logprobs` is not supported by upstream models.';
  throw new InferenceError('invalid_request', message, { param: 'echo' });
}

const embeddings = v.object({
  // Without indices the order is that of the inputs.
  data: v.array(v.object({ index: v.nullish(v.number(), 0), embedding: v.array(v.number()) })),
  usage: v.nullish(v.object({ prompt_tokens: tokenCount })),
});

/** @param prompts of the catalog entry; absent: the service has its own, and is told what the texts are */
async function embed(
  client: UpstreamClient,
  request: EmbeddingRequest,
  signal: AbortSignal,
  prompts?: Readonly<Record<string, string>>,
): Promise<EmbeddingResult> {
  const { inputs, dimensions, inputType, truncate } = request;
  const prompt = prompts ? promptFor({ prompts }, inputType) : '';
  // Floats are the default everywhere; some services refuse the field.
  const body = {
    model: client.model,
    input: inputs.map((input) => (typeof input === 'string' ? prompt + input : input)),
    ...(dimensions !== undefined && { dimensions }),
    ...(inputType !== undefined && !prompts && { input_type: inputType }),
    ...truncate?.fields,
  };
  const answer = readAnswer(embeddings, await client.postForJson('/embeddings', body, signal));
  const inOrder = answer.data.toSorted((a, b) => a.index - b.index);
  // Some services do not normalize shortened vectors.
  const vectors = inOrder.map(({ embedding }) => normaliseVector(Float32Array.from(embedding)));
  if (vectors.length !== inputs.length) throw broken('sent a different number of embeddings than requested');
  return { vectors, promptTokens: answer.usage?.prompt_tokens ?? 0 };
}

/** Fields that a request can do without. When the service refuses one, the request is sent again without it. */
const OPTIONAL_FIELDS = new Set(['stream_options', 'parallel_tool_calls', 'reasoning_effort', 'chat_template_kwargs']);

type Body = Record<string, unknown>;

/**
 * Which fields a service supports, learned from its refusals. Many know only some of the optional fields; newer models of
 * some require `max_completion_tokens` and refuse a temperature of 0.
 */
class FieldSupport {
  readonly #refused = new Set<string>();
  #renamesCap = false;

  /** The body with the fields that the service is known to take. */
  apply({ max_tokens, ...rest }: Body): Body {
    const taken = Object.entries(rest).filter(([name, value]) => !this.#refused.has(name) || !mayGo(name, value));
    const cap = this.#renamesCap ? 'max_completion_tokens' : 'max_tokens';
    return { ...Object.fromEntries(taken), ...(max_tokens !== undefined && { [cap]: max_tokens }) };
  }

  /**
   * Learns from a refusal. @returns true when the next attempt will have another body
   * @param sent the body that was refused
   */
  learn(refusal: unknown, sent: Body): boolean {
    if (!isInferenceError(refusal) || refusal.code !== 'invalid_request') return false;
    const { message, param } = refusal;
    // The parameter alone does not distinguish an unknown field from a value that is too high.
    if ('max_tokens' in sent && message.includes('max_completion_tokens')) return (this.#renamesCap = true);
    const isBlamed = (name: string): boolean =>
      param === undefined ? new RegExp(`\\b${name}\\b`).test(message) : param.split('.', 1)[0] === name;
    const blamed = Object.entries(sent).find(([name, value]) => mayGo(name, value) && isBlamed(name));
    if (blamed) this.#refused.add(blamed[0]);
    return blamed !== undefined;
  }
}

/** A temperature of 0 can be left out where the service does not know greedy decoding. */
function mayGo(name: string, value: unknown): boolean {
  return name === 'temperature' ? value === 0 : OPTIONAL_FIELDS.has(name);
}

/** The file as its pieces come. What it costs is not told with it, so the counts are 0. */
async function* speakRemotely(
  client: UpstreamClient,
  { input, voice, format, speed, instructions }: SpeechRequest,
  signal: AbortSignal,
): AsyncGenerator<SpeechEvent, void, undefined> {
  // The consumer may leave before it has read anything.
  const left = new AbortController();
  const stop = AbortSignal.any([signal, left.signal]);
  const body = {
    model: client.model,
    input,
    voice,
    response_format: format,
    // Some models of some services know neither.
    ...(speed !== 1 && { speed }),
    ...(instructions !== undefined && { instructions }),
  };
  try {
    const response = await client.post('/audio/speech', body, stop);
    const reader = response.body?.getReader();
    if (!reader) throw broken('gave no sound');
    const watch = new SilenceWatch();
    for (;;) {
      const step = await watch.wait(reader.read());
      if (step === undefined) throw broken('stopped sending');
      if (step.done) break;
      yield { type: 'audio', bytes: step.value };
    }
    yield { type: 'finish', bytes: new Uint8Array(0), inputTokens: 0, outputTokens: 0 };
  } catch (thrown) {
    throwIfCancelled(signal);
    throw client.report(isInferenceError(thrown) ? thrown : broken('ended its answer early', thrown));
  } finally {
    left.abort();
  }
}

/** Documents ranked by a remote service, in the form that Cohere, Jina and vLLM share. */
const tokens = v.nullish(v.number());

const ranking = v.object({
  results: v.array(v.object({ index: v.number(), relevance_score: v.number() })),
  /** Jina and vLLM count here. */
  usage: v.nullish(v.object({ prompt_tokens: tokens, total_tokens: tokens })),
  /** Cohere counts there. */
  meta: v.nullish(v.object({ tokens: v.nullish(v.object({ input_tokens: tokens })) })),
});

/** Ranks documents by a remote model. */
class RemoteRanker {
  readonly #client: UpstreamClient;
  /**
   * The service gives logits, as llama.cpp does for a cross-encoder. It shows with the first score that is not a share, and
   * holds for all later answers, so that a score does not depend on its company.
   */
  #givesLogits = false;

  constructor(client: UpstreamClient) {
    this.#client = client;
  }

  /** Scores are the service's own; of logits their sigmoid. @throws InferenceError `unavailable` when a document has none */
  async rank(
    { query, documents, maxTokensPerDocument: most }: RankingRequest,
    signal: AbortSignal,
  ): Promise<RankingResult> {
    const { model } = this.#client;
    const body = { model, query, documents, ...(most !== undefined && { max_tokens_per_doc: most }) };
    const { results, usage, meta } = readAnswer(ranking, await this.#client.postForJson('/rerank', body, signal));
    const byIndex = new Map(results.map(({ index, relevance_score: score }) => [index, score]));
    const scores = documents.map((_, index) => byIndex.get(index));
    if (!scores.every((score) => score !== undefined)) throw broken('sent no score for some of the documents');
    this.#givesLogits ||= scores.some((score) => score < 0 || score > 1);
    const promptTokens = usage?.prompt_tokens ?? usage?.total_tokens ?? meta?.tokens?.input_tokens ?? 0;
    return { scores: this.#givesLogits ? scores.map(sigmoid) : scores, promptTokens };
  }
}

const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));
