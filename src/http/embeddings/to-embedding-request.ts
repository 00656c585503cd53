/** The body of `POST /embeddings` as the canonical request. @module */
import type { EmbeddingRequest } from '../../request/embedding-request.js';
import type { EmbeddingsRequest } from './request-schema.js';

/** @param model catalog id */
export function toEmbeddingRequest(body: EmbeddingsRequest, model: string): EmbeddingRequest {
  return {
    model,
    inputs: isSingle(body.input) ? [body.input] : (body.input as (string | number[])[]),
    ...(typeof body.dimensions === 'number' && { dimensions: body.dimensions }),
  };
}

/** True for one text or one token array, which is the whole `input`. */
export function isSingle(input: EmbeddingsRequest['input']): input is string | number[] {
  return typeof input === 'string' || typeof input[0] === 'number';
}
