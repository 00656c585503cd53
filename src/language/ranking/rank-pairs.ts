/** Ranks documents with a cross-encoder, whatever engine runs it. @module */
import { throwIfCancelled } from '../../core/errors/inference-error.js';
import { yieldToEventLoop } from '../../core/platform/pause.js';
import type { RankingRequest, RankingResult } from '../../core/request/ranking-request.js';
import { documentTokenBudget } from './document-token-budget.js';
import type { EncoderQueue } from '../embedding/encoder-queue.js';
import { firstTokens } from './first-tokens.js';

/** A pair as a model reads it. */
export interface TokenPair {
  ids: readonly number[];
  /** `token_type_ids`: to which of the two texts each token belongs, in models that tell them apart. */
  types: readonly number[];
  /** Tokens, control tokens included. */
  length: number;
}

/** How a model's pairs are put together. */
interface PairForm {
  /** Control tokens of a pair. */
  readonly controlTokens: number;
  /** The pair of two texts, given by their tokens; each may be empty. */
  join(first: readonly number[], second: readonly number[]): TokenPair;
}

export interface CrossEncoder {
  /** Tokens of a text alone, without control tokens. */
  encode: (text: string) => number[];
  template: PairForm;
  /** Gives scores of pairs. */
  queue: EncoderQueue<TokenPair, number>;
  contextLength: number;
}

/** @throws InferenceError `context_length_exceeded`, `cancelled`; what the model throws */
export async function rerank(
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
