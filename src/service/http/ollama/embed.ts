/** POST /api/embed, and POST /api/embeddings as older clients know it. @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { EmbeddingAnswer } from '../../../core/request/embedding-request.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { object } from '../fields/json-object.js';
import { runOptions } from '../generation/generate.js';
import { requireModel } from '../policy/require-model.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { commonFields, toKeepAlive } from './fields.js';
import { catalogName } from './names.js';
import { nanoseconds } from './to-lines.js';

/** As many inputs as `/embeddings` takes. */
const MAX_INPUTS = 2048;

const EMBED = object({
  ...commonFields,
  input: v.nullish(v.union([v.string(), v.pipe(v.array(v.string()), v.maxLength(MAX_INPUTS))])),
  dimensions: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1))),
  truncate: v.nullish(v.boolean()),
});

const EMBEDDINGS = object({ ...commonFields, prompt: v.nullish(v.string()) });

/** One vector per text. */
export const embed: EndpointBody = {
  requestSchema: () => EMBED,
  route: (context) => async (c) => {
    const begun = context.now();
    const body = parseBody(EMBED, await readJsonBody(c, context));
    const { input } = body;
    const inputs = Array.isArray(input) ? input : input ? [input] : [];
    const { vectors, promptTokens, engineTime } = await embedTexts(c, context, { ...body, inputs });
    const total = Math.max(context.now() - begun, engineTime);
    return c.json({
      model: body.model,
      embeddings: vectors.map((vector) => shortened(vector, body.dimensions ?? undefined)),
      total_duration: nanoseconds(total / 1000),
      load_duration: nanoseconds((total - engineTime) / 1000),
      prompt_eval_count: promptTokens,
    });
  },
};

/** One vector of one text. */
export const embeddings: EndpointBody = {
  requestSchema: () => EMBEDDINGS,
  route: (context) => async (c) => {
    const body = parseBody(EMBEDDINGS, await readJsonBody(c, context));
    const { vectors } = await embedTexts(c, context, { ...body, inputs: body.prompt ? [body.prompt] : [] });
    return c.json({ embedding: Array.from(vectors[0] ?? []) });
  },
};

interface Asked {
  model: string;
  keep_alive?: number | string | null | undefined;
  inputs: string[];
  truncate?: boolean | null | undefined;
}

/** @returns also the milliseconds from when the model began. Nothing to read loads nothing */
async function embedTexts(
  c: HttpRequestContext,
  context: HttpContext,
  { model, keep_alive, inputs, truncate }: Asked,
): Promise<Pick<EmbeddingAnswer, 'vectors' | 'promptTokens'> & { engineTime: number }> {
  const { inference } = context;
  const keepAlive = toKeepAlive(keep_alive);
  const { id } = requireModel(inference.catalog, catalogName(inference.catalog, model), 'embeddings');
  await context.admit(c);
  if (inputs.length === 0) return { vectors: [], promptTokens: 0, engineTime: 0 };
  let started = context.now();
  const options = runOptions(c, 'result');
  const onBegin = (): void => {
    started = context.now();
    options.onBegin?.();
  };
  const request = { model: id, inputs, ...(truncate !== false && { truncate: { side: 'end' as const, fields: {} } }) };
  const answer = await inference.embed(request, { ...options, keepAlive, onBegin });
  return { ...answer, engineTime: Math.max(0, context.now() - started) };
}

/** The first numbers of a unit vector, again of length 1. @throws InferenceError where it has fewer */
function shortened(vector: Float32Array, dimensions = vector.length): number[] {
  if (dimensions > vector.length) {
    const param = 'dimensions';
    const message = `\`${param}\` must be 1 to ${vector.length} for this model.`;
    throw new InferenceError('invalid_request', message, { param });
  }
  const kept = Array.from(vector.subarray(0, dimensions));
  const length = Math.hypot(...kept);
  return dimensions === vector.length || length === 0 ? kept : kept.map((number) => number / length);
}
