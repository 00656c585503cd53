/** The canonical request to rank documents, and its result. @module */
import type { GenerationRequest } from './generation-request.js';
import type { TracedRequest } from './traced-request.js';

export interface RankingRequest extends TracedRequest {
  model: string;
  /** What the documents are compared with; not empty. */
  query: string;
  /** Texts, scored in this order; each may be empty. */
  documents: readonly string[];
  /** Most tokens of a document that are read, from its beginning; absent: what the context leaves beside the query. */
  maxTokensPerDocument?: number;
  caller?: GenerationRequest['caller'];
}

export interface RankingResult {
  /** How relevant each document is to the query, 0 to 1, in the order of the documents. */
  scores: number[];
  /** Tokens read: those of all pairs of query and document, control tokens included. */
  promptTokens: number;
}

/** A result with the catalog id of the model that gave it: a fallback, when the one asked for cannot run here. */
export interface RankingAnswer extends RankingResult {
  model: string;
}
