/** The body of `POST /embeddings` as the canonical request. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { EmbeddingRequest } from '../../../core/request/embedding-request.js';
import type { EmbeddingsRequest } from './request-schema.js';

/**
 * @param model catalog id
 * @throws InferenceError `invalid_request` for an empty input; `param` names its index
 */
export function toEmbeddingRequest(body: EmbeddingsRequest, model: string): EmbeddingRequest {
  const inputs = isSingle(body.input) ? [body.input] : (body.input as (string | number[])[]);
  const empty = inputs.findIndex((input) => input.length === 0);
  if (empty >= 0) {
    const param = isSingle(body.input) ? 'input' : `input.${empty}`;
    throw new InferenceError('invalid_request', `\`${param}\` must not be empty.`, { param });
  }
  return {
    model,
    inputs,
    ...(typeof body.dimensions === 'number' && { dimensions: body.dimensions }),
  };
}

/** True for one text or one token array, which is the whole `input`. */
export function isSingle(input: EmbeddingsRequest['input']): input is string | number[] {
  return typeof input === 'string' || input.length === 0 || typeof input[0] === 'number';
}
