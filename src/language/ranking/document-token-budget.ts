/** How much of a document a model that ranks can read. @module */
import { InferenceError } from '../../core/errors/inference-error.js';

/** Sizes in tokens. */
export interface PairSizes {
  contextLength: number;
  query: number;
  /** What the model puts around query and document. */
  control: number;
  /** Of the request; absent: no limit of its own. */
  maxTokensPerDocument?: number | undefined;
}

/**
 * The most tokens of a document that are read beside the query; at least 1.
 * @throws InferenceError `context_length_exceeded` when the query leaves none
 */
export function documentTokenBudget({ contextLength, query, control, maxTokensPerDocument }: PairSizes): number {
  const room = contextLength - query - control;
  if (room >= 1) return Math.min(room, maxTokensPerDocument ?? room);
  throw new InferenceError(
    'context_length_exceeded',
    `This model's maximum context length is ${contextLength} tokens. The query has ${query}, which leaves no space for documents.`,
    { param: 'query', contextLength, promptTokens: query },
  );
}
