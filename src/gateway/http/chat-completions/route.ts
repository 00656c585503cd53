/** POST /chat/completions @module */
import { collectGeneration } from '../../answer/collect-generation.js';
import type { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { Endpoint } from '../endpoint.js';
import { asTheyAre, generate, renderBatches, runOptions, recordedContext } from '../generation/generate.js';
import { errorObject } from '../errors/render-error.js';
import { beginHead } from '../generation/completion-parts.js';
import type { HeadOf } from '../generation/completion-parts.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { requireModel } from '../policy/require-model.js';
import { RequestImages } from '../fields/request-images.js';
import { markOf, requireLogprobs, requireStream } from '../fields/sampling.js';
import { abortWith, COMMENT, encodeServerSentEvent, streamResponse } from '../stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { chatCompletionRequest, toGenerationRequest } from './request.js';
import { toMessages } from './messages.js';
import { type ResponseOptions, toResponse } from './to-response.js';
import { type ChunkOptions, renderChunks } from './to-stream.js';
import { customToolNames } from './tools.js';

/** The next assistant message from a list of messages, whole or as a stream of chunks. */
export const chatCompletionsEndpoint: Endpoint = {
  name: 'chat-completions',
  method: 'POST',
  path: '/chat/completions',
  summary: 'Creates the next assistant message from a list of messages.',
  requestSchema: chatCompletionRequest,
  route: (shared) => {
    const schema = chatCompletionRequest(shared.compatibility);
    return async (c) => {
      const context = recordedContext(c, shared);
      const json = await readJsonBody(c, context);
      const body = parseBody(schema, json, [requireStream, requireLogprobs]);
      const entry = requireModel(context.inference.catalog, body.model, 'chat');
      const images = new RequestImages();
      const messages = toMessages(body.messages, images);
      const request = {
        ...toGenerationRequest(body, entry.id, messages, context.compatibility),
        ...markOf(json),
      };
      await images.decodeAll(context.inference.takesImages(entry.id), c.req.raw.signal);
      await context.admit(c, request.n);
      const headOf = beginHead('chatcmpl', context);
      const options = {
        hasLogprobs: request.topLogprobs !== undefined,
        compatibility: context.compatibility,
        customTools: customToolNames(body.tools),
      };
      if (body.stream !== true) return collected(c, context, request, headOf, options);
      const includeUsage = body.stream_options?.include_usage === true;
      return streamed(c, context, request, { ...options, headOf, n: request.n, includeUsage });
    };
  },
};

async function collected(
  c: HttpRequestContext,
  context: HttpContext,
  request: GenerationRequest,
  headOf: HeadOf,
  options: ResponseOptions,
): Promise<Response> {
  const events = generate(context, request, runOptions(c, 'result'));
  const answer = await collectGeneration(renderBatches(events, asTheyAre));
  return c.json(toResponse(answer, headOf(answer.model), options));
}

function streamed(
  c: HttpRequestContext,
  context: HttpContext,
  request: GenerationRequest,
  options: Omit<ChunkOptions, 'errorObject'>,
): Promise<Response> {
  const abort = abortWith(c.req.raw.signal);
  const events = generate(context, request, runOptions(c, 'first-token', abort.signal));
  const inStream = (error: InferenceError) => errorObject(error, 'chat-completions', c.get('inferenceId'));
  const render = renderChunks({ ...options, errorObject: inStream });
  return streamResponse(context, {
    events: renderBatches(events, render),
    encode: encodeServerSentEvent,
    abort,
    keepAlive: () => COMMENT,
    failure: (error) => encodeServerSentEvent({ data: inStream(error) }),
    record: c.get('record'),
  });
}
