/** POST /rerank, in the form of Cohere's second version, which Jina and vLLM share in the main. @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { RankingAnswer, RankingRequest } from '../../../core/request/ranking-request.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { runOptions } from '../generation/generate.js';
import { requireModel } from '../policy/require-model.js';
import { objectOf } from '../fields/json-object.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';

/** As many documents as Cohere takes in one request. */
const MAX_DOCUMENTS = 1000;

const positive = v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1)));

const rerankRequestSchema = v.object({
  model: v.string(),
  query: v.pipe(v.string(), v.minLength(1)),
  documents: v.pipe(v.array(v.union([v.string(), objectOf(v.unknown())])), v.minLength(1), v.maxLength(MAX_DOCUMENTS)),
  /** The most relevant ones that are answered; absent: all. */
  top_n: positive,
  /** What Voyage calls it. */
  top_k: positive,
  /** Which fields of objects are read. */
  rank_fields: v.nullish(v.pipe(v.array(v.string()), v.minLength(1))),
  return_documents: v.nullish(v.boolean()),
  max_tokens_per_doc: positive,
});

type RerankRequest = v.InferOutput<typeof rerankRequestSchema>;

/** A score per document, the most relevant first. */
export const rerank: EndpointBody = {
  requestSchema: () => rerankRequestSchema,
  route: (context) => async (c) => {
    const body = parseBody(rerankRequestSchema, await readJsonBody(c, context), [refuseTwoLimits]);
    const entry = requireModel(context.inference.catalog, body.model, 'rerank');
    const request = toRankingRequest(body, entry.id);
    await context.admit(c);
    const answer = await context.inference.rerank(request, runOptions(c, 'result'));
    return c.json({ id: context.createId(), ...toRanking(answer, request.documents, body) });
  },
};

/** @throws InferenceError when both names of one limit are given */
function refuseTwoLimits({ top_n: most, top_k: same }: Readonly<Record<string, unknown>>): void {
  if (most == null || same == null) return;
  throw new InferenceError('invalid_request', '`top_k` means the same as `top_n`. Send only one of them.', {
    param: 'top_k',
  });
}

/** @param model catalog id */
function toRankingRequest(
  { query, documents, rank_fields: fields, max_tokens_per_doc: most }: RerankRequest,
  model: string,
): RankingRequest {
  return {
    model,
    query,
    documents: documents.map((document, index) => textOf(document, fields ?? ['text'], `documents.${index}`)),
    ...(typeof most === 'number' && { maxTokensPerDocument: most }),
  };
}

/**
 * What is read of a document: its one field as it is, several as lines with their names, as Cohere's documents write them.
 * @throws InferenceError `invalid_request` when none of them is there, or one is not text
 */
function textOf(document: RerankRequest['documents'][number], fields: readonly string[], param: string): string {
  if (typeof document === 'string') return document;
  const given = fields.filter((name) => Object.hasOwn(document, name));
  const texts = given.map((name) => [name, document[name]] as const);
  if (given.length === 0 || texts.some(([, text]) => typeof text !== 'string')) {
    const named = fields.map((name) => `\`${name}\``).join(', ');
    const whose = fields.length === 1 ? `whose ${named} is one` : `with texts in ${named}`;
    throw new InferenceError('invalid_request', `\`${param}\` must be a string, or an object ${whose}.`, { param });
  }
  return fields.length === 1
    ? String(texts[0]![1])
    : texts.map(([name, text]) => `${name}: ${String(text)}`).join('\n');
}

interface RankingObject {
  object: 'list';
  model: string;
  results: { index: number; relevance_score: number; document?: Record<string, unknown> }[];
  /** The same as Voyage's clients read it; only where one asks. */
  data?: { index: number; relevance_score: number; document?: string }[];
  usage: { prompt_tokens: number; total_tokens: number };
  /** What Cohere's clients read; nothing is billed. */
  meta: { api_version: { version: '2' }; billed_units: { search_units: 1 } };
}

/**
 * The most relevant first, equal ones in the order of the request.
 * @param texts what was read of each document
 */
function toRanking(
  { model, scores, promptTokens }: RankingAnswer,
  texts: readonly string[],
  { top_n: topN, top_k: topK, rank_fields: fields, documents, return_documents: withText }: RerankRequest,
): RankingObject {
  const ranked = scores
    .map((score, index) => ({ index, relevance_score: score }))
    .toSorted((left, right) => right.relevance_score - left.relevance_score)
    .slice(0, topN ?? topK ?? scores.length);
  const documentOf = (index: number): Record<string, unknown> => {
    const sent = documents[index]!;
    return fields == null || typeof sent === 'string' ? { text: texts[index]! } : sent;
  };
  return {
    object: 'list',
    model,
    results: withText ? ranked.map((each) => ({ ...each, document: documentOf(each.index) })) : ranked,
    ...(topK !== undefined && {
      data: withText ? ranked.map((each) => ({ ...each, document: texts[each.index]! })) : ranked,
    }),
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  };
}
