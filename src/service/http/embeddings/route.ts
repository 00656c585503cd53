/** POST /embeddings @module */
import * as v from 'valibot';
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { runOptions } from '../generation/generate.js';
import { requireModel } from '../policy/require-model.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../../core/request/embedding-request.js';
import { encodeBase64 } from '../../../core/media/base64.js';

/** As many inputs as OpenAI takes in one request. */
const MAX_INPUTS = 2048;

const tokens = v.array(v.pipe(v.number(), v.integer(), v.minValue(0)));

/** A list of at least one and at most {@link MAX_INPUTS} inputs. */
const some = <const Item extends v.GenericSchema>(item: Item) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(MAX_INPUTS));

/** In the field order of the specification. `user` is accepted and ignored, like every unknown field. */
const embeddingsRequestSchema = v.object({
  /** One text or token array, or several. */
  input: v.union([v.string(), some(v.string()), tokens, some(tokens)]),
  model: v.string(),
  encoding_format: v.nullish(v.picklist(['float', 'base64'])),
  dimensions: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1))),
  /** `query`, `document`, or the name of one of the model's prompts. */
  input_type: v.nullish(v.string()),
  /** As Cohere and Text Embeddings Inference say it. */
  truncate: v.nullish(v.union([v.boolean(), v.picklist(['END', 'START', 'NONE'])])),
  /** As Voyage says it. */
  truncation: v.nullish(v.boolean()),
  /** As vLLM says it; -1: what the model reads. */
  truncate_prompt_tokens: v.nullish(
    v.union([v.literal(-1), v.pipe(v.number(), v.integer(), v.minValue(1))], 'must be -1 or at least 1'),
  ),
});

type EmbeddingsRequest = v.InferOutput<typeof embeddingsRequestSchema>;

/** One vector per text. */
export const embeddings: EndpointBody = {
  requestSchema: () => embeddingsRequestSchema,
  route: (context) => async (c) => {
    const body = parseBody(embeddingsRequestSchema, await readJsonBody(c, context));
    const entry = requireModel(context.inference.catalog, body.model, 'embeddings');
    const request = toEmbeddingRequest(body, entry);
    await context.admit(c);
    try {
      const answer = await context.inference.embed(request, runOptions(c, 'result'));
      return c.json(toEmbeddings(answer, body.encoding_format ?? 'float'));
    } catch (thrown) {
      throw isSingle(body.input) ? withoutIndex(thrown) : thrown;
    }
  },
};

/** Engines number the inputs; a body whose `input` is not a list of them has no `input.0`. */
function withoutIndex(thrown: unknown): unknown {
  if (!isInferenceError(thrown) || thrown.param !== 'input.0') return thrown;
  return new InferenceError(thrown.code, thrown.message, { ...thrown.details, param: 'input' }, { cause: thrown });
}

/**
 * @param entry of the model
 * @throws InferenceError `invalid_request` for an empty input; `param` names its index
 */
function toEmbeddingRequest(
  body: EmbeddingsRequest,
  { id: model, truncate: cutsAll = false }: ModelEntry,
): EmbeddingRequest {
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
    ...(typeof body.input_type === 'string' && { inputType: body.input_type }),
    ...toTruncation(body, cutsAll),
  };
}

/** @param cutsAll whether texts are cut of which a request says nothing */
function toTruncation(
  { truncate, truncation, truncate_prompt_tokens: tokens }: EmbeddingsRequest,
  cutsAll: boolean,
): Pick<EmbeddingRequest, 'truncate'> {
  const asked = truncate ?? truncation ?? (tokens == null ? cutsAll : true);
  if (asked === false || asked === 'NONE') return {};
  return {
    truncate: {
      side: asked === 'START' ? 'start' : 'end',
      ...(tokens != null && tokens > 0 && { tokens }),
      fields: {
        ...(truncate != null && { truncate }),
        ...(truncation != null && { truncation }),
        ...(tokens != null && { truncate_prompt_tokens: tokens }),
      },
    },
  };
}

/** True for one text or one token array, which is the whole `input`. */
function isSingle(input: EmbeddingsRequest['input']): input is string | number[] {
  return typeof input === 'string' || input.length === 0 || typeof input[0] === 'number';
}

/** How vectors are written: numbers, or base64 of little-endian 32-bit floats. */
type EncodingFormat = 'float' | 'base64';

interface EmbeddingsObject {
  object: 'list';
  data: { object: 'embedding'; index: number; embedding: number[] | string }[];
  model: string;
  usage: { prompt_tokens: number; total_tokens: number };
}

/** Items follow the inputs' order. */
function toEmbeddings(answer: EmbeddingAnswer, format: EncodingFormat): EmbeddingsObject {
  return {
    object: 'list',
    data: answer.vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: format === 'base64' ? toBase64(vector) : Array.from(vector),
    })),
    model: answer.model,
    usage: { prompt_tokens: answer.promptTokens, total_tokens: answer.promptTokens },
  };
}

function toBase64(vector: Float32Array): string {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [index, value] of vector.entries()) bytes.setFloat32(index * 4, value, true);
  return encodeBase64(new Uint8Array(bytes.buffer));
}
