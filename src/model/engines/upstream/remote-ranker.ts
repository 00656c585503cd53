/** Documents ranked by a remote service, in the form that Cohere, Jina and vLLM share. @module */
import * as v from 'valibot';
import type { RankingRequest, RankingResult } from '../../../core/request/ranking-request.js';
import { broken, readAnswer } from './read-event-stream.js';
import type { UpstreamClient } from './upstream-client.js';

const tokens = v.nullish(v.number());

const ranking = v.object({
  results: v.array(v.object({ index: v.number(), relevance_score: v.number() })),
  /** Jina and vLLM count here. */
  usage: v.nullish(v.object({ prompt_tokens: tokens, total_tokens: tokens })),
  /** Cohere counts there. */
  meta: v.nullish(v.object({ tokens: v.nullish(v.object({ input_tokens: tokens })) })),
});

/** Ranks documents by a remote model. */
export class RemoteRanker {
  readonly #client: UpstreamClient;
  /**
   * The service gives logits, as llama.cpp does for a cross-encoder. It shows with the first score that is no share, and
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
