/** Models of a remote `/v1`, for what no model on this device can do. Requests leave the device. @module */
import * as v from 'valibot';
import type { TokenEvent } from '../../../core/events/token-event.js';
import type { EmbeddingRequest, EmbeddingResult } from '../../../core/request/embedding-request.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import { normaliseVector } from '../normalise-vector.js';
import type { Backend, LoadedModel, ModelInfo } from '../../../core/models/backend.js';
import { toUpstreamRequest } from './chat-body.js';
import { LearnedLimits } from './learned-limits.js';
import { readAnswer, tokenCount } from './read-answer.js';
import { readChunks } from './read-chunks.js';
import { broken, readEventStream } from './read-event-stream.js';
import { transcribeRemotely } from './transcribe-remotely.js';
import { UpstreamClient } from './upstream-client.js';

/** Tokens, where the entry does not say: nobody here can measure a prompt, so the service refuses what is too long. */
const ASSUMED_CONTEXT_LENGTH = 131_072;

/** Loads at once and downloads nothing. Prompts cannot be counted without a request, so there is no `countTokens`. */
export const upstreamBackend: Backend = {
  async load(entry, { signal, pageURL }) {
    signal.throwIfAborted();
    const client = new UpstreamClient(entry, pageURL);
    const info: ModelInfo = {
      contextLength: entry.contextLength ?? ASSUMED_CONTEXT_LENGTH,
      device: 'none',
      threads: 1,
      toolFormat: 'none',
      reasoningFormat: 'none',
      images: true,
      concurrency: Infinity,
    };
    const model: LoadedModel = { info, lost: new Promise(() => {}), unload: async () => {} };
    const limits = new LearnedLimits();
    if (entry.task === 'chat') model.generate = (request, stop) => generate({ client, limits }, request, stop);
    if (entry.task === 'embeddings') model.embed = (request, stop) => embed(client, request, stop);
    if (entry.task === 'speech') model.transcribe = (request, stop) => transcribeRemotely(client, request, stop);
    return model;
  },
};

async function* generate(
  { client, limits }: { client: UpstreamClient; limits: LearnedLimits },
  request: GenerationRequest,
  signal: AbortSignal,
): AsyncGenerator<TokenEvent[], void> {
  const { path, body } = toUpstreamRequest(request, client.model);
  // A reader may leave before it has read anything of the stream.
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

const embeddings = v.object({
  // Without indices they come in order.
  data: v.array(v.object({ index: v.nullish(v.number(), 0), embedding: v.array(v.number()) })),
  usage: v.nullish(v.object({ prompt_tokens: tokenCount })),
});

async function embed(client: UpstreamClient, request: EmbeddingRequest, signal: AbortSignal): Promise<EmbeddingResult> {
  const { inputs, dimensions } = request;
  // Numbers are the default everywhere; some services refuse to be asked for them.
  const body = { model: client.model, input: inputs, ...(dimensions !== undefined && { dimensions }) };
  const answer = readAnswer(embeddings, await client.postForJson('/embeddings', body, signal));
  const inOrder = answer.data.toSorted((a, b) => a.index - b.index);
  // Most services give unit vectors, but not all do after shortening them.
  const vectors = inOrder.map(({ embedding }) => normaliseVector(Float32Array.from(embedding)));
  if (vectors.length !== inputs.length) throw broken('gave another number of embeddings than was asked for');
  return { vectors, promptTokens: answer.usage?.prompt_tokens ?? 0 };
}
