/** POST /rerank, in the form of Cohere's second version, which Jina and vLLM share in the main. @module */
import * as v from 'valibot';
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import type { RankingAnswer, RankingRequest } from '../../core/request/ranking-request.js';
import type { Endpoint } from './endpoint/endpoint.js';
import { runOptions } from './generation/generate.js';
import { requireModel } from './policy/require-model.js';
import { parseBody } from './validation/parse-body.js';
import { readJsonBody } from './validation/read-json-body.js';

/** As many documents as Cohere takes in one request. */
const MAX_DOCUMENTS = 1000;

const positive = v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1)));

/** Fields of other services, such as `rank_fields`, are accepted and ignored like every unknown field. */
const rerankRequestSchema = v.object({
  model: v.string(),
  query: v.pipe(v.string(), v.minLength(1)),
  documents: v.pipe(
    v.array(v.union([v.string(), v.object({ text: v.string() })])),
    v.minLength(1),
    v.maxLength(MAX_DOCUMENTS),
  ),
  /** The most relevant ones that are answered; absent: all. */
  top_n: positive,
  return_documents: v.nullish(v.boolean()),
  max_tokens_per_doc: positive,
});

type RerankRequest = v.InferOutput<typeof rerankRequestSchema>;

/** A score per document, the most relevant first. */
export const rerankEndpoint: Endpoint = {
  name: 'rerank',
  method: 'POST',
  path: '/rerank',
  summary: 'Sorts documents by how relevant they are to a query.',
  requestSchema: () => rerankRequestSchema,
  route: (context) => async (c) => {
    const body = parseRerank(await readJsonBody(c, context));
    const entry = requireModel(context.inference.catalog, body.model, 'rerank');
    const request = toRankingRequest(body, entry.id);
    await context.admit(c);
    const answer = await context.inference.rerank(request, runOptions(c, 'result'));
    return c.json({ id: context.createId(), ...toRanking(answer, request.documents, body) });
  },
};

/** Names a bad document by its place, whatever is wrong inside of it. */
function parseRerank(body: unknown): RerankRequest {
  try {
    return parseBody(rerankRequestSchema, body);
  } catch (thrown) {
    const [param] = (isInferenceError(thrown) && /^documents\.\d+/.exec(thrown.param ?? '')) || [];
    if (param === undefined) throw thrown;
    throw new InferenceError('invalid_request', `\`${param}\` must be a string, or an object whose \`text\` is one.`, {
      param,
    });
  }
}

/** @param model catalog id */
function toRankingRequest(
  { query, documents, max_tokens_per_doc: most }: RerankRequest,
  model: string,
): RankingRequest {
  return {
    model,
    query,
    documents: documents.map((document) => (typeof document === 'string' ? document : document.text)),
    ...(typeof most === 'number' && { maxTokensPerDocument: most }),
  };
}

interface RankingObject {
  object: 'list';
  model: string;
  results: { index: number; relevance_score: number; document?: { text: string } }[];
  usage: { prompt_tokens: number; total_tokens: number };
  /** What Cohere's clients read; nothing is billed. */
  meta: { api_version: { version: '2' }; billed_units: { search_units: 1 } };
}

/** The most relevant first, equal ones in the order of the request. */
function toRanking(
  { model, scores, promptTokens }: RankingAnswer,
  documents: readonly string[],
  { top_n: most, return_documents: withText }: RerankRequest,
): RankingObject {
  const ranked = scores
    .map((score, index) => ({ index, relevance_score: score }))
    .toSorted((left, right) => right.relevance_score - left.relevance_score)
    .slice(0, most ?? scores.length);
  return {
    object: 'list',
    model,
    results: withText ? ranked.map((each) => ({ ...each, document: { text: documents[each.index]! } })) : ranked,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  };
}
