/** POST /completions @module */
import { collectGeneration } from '../../channels/collect-generation.js';
import type { GenerationRequest } from '../../request/generation-request.js';
import type { Endpoint } from '../endpoint.js';
import { errorObject } from '../errors/render-error.js';
import { afterFirstToken } from '../generation/after-first-token.js';
import { beginHead } from '../generation/completion-head.js';
import type { HeadOf } from '../generation/completion-head.js';
import { generate } from '../generation/generate.js';
import type { FieldNames } from '../generation/generate.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { requireModel } from '../policy/require-model.js';
import { requireLogprobs, requireStream } from '../schemas/cross-field-rules.js';
import { COMMENT } from '../sse/server-sent-event.js';
import type { ServerSentEvent } from '../sse/server-sent-event.js';
import { abortWith, streamResponse } from '../sse/stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import type { CompletionObject } from './completion-object.js';
import { completionsRequestSchema } from './request-schema.js';
import type { CompletionsRequest } from './request-schema.js';
import { toGenerationRequest } from './to-generation-request.js';
import { toCompletion } from './to-response.js';
import { toCompletionChunks } from './to-stream.js';

const DONE: ServerSentEvent = { data: '[DONE]' };

const NAMES: FieldNames = { messages: 'prompt' };

/** Continues a raw prompt, streamed or not. */
export const completionsEndpoint: Endpoint = {
  name: 'completions',
  method: 'POST',
  path: '/completions',
  summary: 'Continues a text.',
  requestSchema: completionsRequestSchema,
  route: (context) => async (c) => {
    const body = parseBody(completionsRequestSchema, await readJsonBody(c, context));
    requireStream(body);
    requireLogprobs(body);
    const entry = requireModel(context.inference.catalog, body.model, 'chat');
    const request = toGenerationRequest(body, entry.id);
    await context.admit(c, request.n);
    const headOf = beginHead('cmpl', context);
    if (body.stream === true) return stream(request, body, headOf, c, context);
    const options = { signal: c.req.raw.signal, deadline: 'result' } as const;
    const generation = await collectGeneration(generate(context, request, options, NAMES));
    return c.json(toCompletion(generation, headOf(generation.model)));
  },
};

async function stream(
  request: GenerationRequest,
  body: CompletionsRequest,
  headOf: HeadOf,
  c: HttpRequestContext,
  context: HttpContext,
): Promise<Response> {
  const abort = abortWith(c.req.raw.signal);
  const events = generate(context, request, { signal: abort.signal, deadline: 'first-token' }, NAMES);
  const options = { includeUsage: body.stream_options?.include_usage === true, logprobs: body.logprobs === true };
  return streamResponse(context, {
    events: toServerSentEvents(toCompletionChunks(afterFirstToken(events), headOf, options)),
    abort,
    keepAlive: () => COMMENT,
    failure: (error) => [{ data: errorObject(error, c.get('endpoint'), c.get('inferenceId')) }],
  });
}

async function* toServerSentEvents(chunks: AsyncIterable<CompletionObject>): AsyncGenerator<ServerSentEvent[]> {
  for await (const data of chunks) yield [{ data }];
  yield [DONE];
}
