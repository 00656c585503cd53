/** POST /completions @module */
import { collectGeneration } from '../../channels/collect-generation.js';
import type { GenerationRequest } from '../../request/generation-request.js';
import type { Endpoint } from '../endpoint.js';
import { errorObject } from '../errors/render-error.js';
import { afterFirstToken } from '../generation/after-first-token.js';
import type { CompletionHead } from '../generation/completion-head.js';
import { systemFingerprint } from '../generation/system-fingerprint.js';
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
    const head: CompletionHead = {
      id: `cmpl-${context.createId()}`,
      created: Math.floor(context.now() / 1000),
      model: entry.id,
      systemFingerprint: systemFingerprint(entry),
    };
    if (body.stream === true) return stream(request, body, head, c, context);
    const signal = c.req.raw.signal;
    const generation = await collectGeneration(context.inference.generate(request, { signal, deadline: 'result' }));
    return c.json(toCompletion(generation, head));
  },
};

async function stream(
  request: GenerationRequest,
  body: CompletionsRequest,
  head: CompletionHead,
  c: HttpRequestContext,
  context: HttpContext,
): Promise<Response> {
  const abort = abortWith(c.req.raw.signal);
  const events = context.inference.generate(request, { signal: abort.signal, deadline: 'first-token' });
  const options = { includeUsage: body.stream_options?.include_usage === true, logprobs: body.logprobs === true };
  return streamResponse(context, {
    events: toServerSentEvents(toCompletionChunks(afterFirstToken(events), head, options)),
    abort,
    keepAlive: () => COMMENT,
    failure: (error) => [{ data: errorObject(error, c.get('endpoint'), c.get('inferenceId')) }],
  });
}

async function* toServerSentEvents(chunks: AsyncIterable<CompletionObject>): AsyncGenerator<ServerSentEvent[]> {
  for await (const data of chunks) yield [{ data }];
  yield [DONE];
}
