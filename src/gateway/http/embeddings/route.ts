/** POST /embeddings @module */
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import type { Endpoint } from '../endpoint.js';
import { runOptions } from '../generation/run-options.js';
import { requireModel } from '../policy/require-model.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { embeddingsRequestSchema } from './request-schema.js';
import { isSingle, toEmbeddingRequest } from './to-embedding-request.js';
import { toEmbeddings } from './to-response.js';

/** One vector per text. */
export const embeddingsEndpoint: Endpoint = {
  name: 'embeddings',
  method: 'POST',
  path: '/embeddings',
  summary: 'Turns texts into vectors whose closeness is closeness of meaning.',
  requestSchema: () => embeddingsRequestSchema,
  route: (context) => async (c) => {
    const body = parseBody(embeddingsRequestSchema, await readJsonBody(c, context));
    const entry = requireModel(context.inference.catalog, body.model, 'embeddings');
    const request = toEmbeddingRequest(body, entry.id);
    await context.admit(c);
    try {
      const answer = await context.inference.embed(request, runOptions(c, 'result'));
      return c.json(toEmbeddings(answer, body.encoding_format ?? 'float'));
    } catch (thrown) {
      throw isSingle(body.input) ? withoutIndex(thrown) : thrown;
    }
  },
};

/** Engines number the inputs; a body whose `input` is no list of them has no `input.0`. */
function withoutIndex(thrown: unknown): unknown {
  if (!isInferenceError(thrown) || thrown.param !== 'input.0') return thrown;
  return new InferenceError(thrown.code, thrown.message, { ...thrown.details, param: 'input' }, { cause: thrown });
}
