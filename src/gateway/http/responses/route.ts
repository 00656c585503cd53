/** POST /responses and POST /responses/input_tokens @module */
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { Endpoint } from '../endpoint.js';
import { generate, renderBatches, runOptions, recordedContext, countTokens } from '../generation/generate.js';
import { errorFacts } from '../errors/error-table.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { nameIgnoredTools } from '../fields/ignored-tools.js';
import { abortWith, encodeServerSentEvent, streamResponse } from '../stream-response.js';
import { createBodyReader } from './read-body.js';
import { responsesRequestSchema, toEchoedFields, type ResponsesRequest } from './request.js';
import type { RenderOptions } from './render-generation.js';
import { type ResponseStreamEvent, startResponse } from './response-object.js';
import {
  failureEvents,
  keepAliveText,
  numbered,
  renderResponse,
  startProgress,
  toResponse,
  type ResponseProgress,
} from './to-stream.js';

/** Output items for a conversation, streamed or not. Nothing is stored but late items, in memory. */
export const responsesEndpoint: Endpoint = {
  name: 'responses',
  method: 'POST',
  path: '/responses',
  summary: 'Creates a response: messages, reasoning and function calls.',
  requestSchema: responsesRequestSchema,
  route: (shared) => {
    const read = createBodyReader(shared);
    return async (c) => {
      const context = recordedContext(c, shared);
      const { body, request, tools, recent } = await read(c);
      await context.admit(c);
      nameIgnoredTools(c, tools.ignored);
      const progress = createProgress(body, request.model, context, {
        onItem: (item) => recent.keep(c.get('caller'), item),
        formOf: (called) => tools.formOf(called),
      });
      if (body.stream === true) return stream(request, progress, c, context);
      const signal = c.req.raw.signal;
      const events = generate(context, request, runOptions(c, 'result', signal));
      return c.json(await toResponse(renderBatches(events, renderResponse(progress), request.paramNames)));
    };
  },
};

function createProgress(
  body: ResponsesRequest,
  model: string,
  context: HttpContext,
  options: Pick<RenderOptions, 'onItem' | 'formOf'>,
): ResponseProgress {
  const createId = (prefix: string) => `${prefix}_${context.createId().replaceAll('-', '')}`;
  const now = () => Math.floor(context.now() / 1000);
  const response = startResponse(toEchoedFields(body, model), createId('resp'), now());
  return startProgress(response, {
    createId,
    now,
    summarises: body.reasoning?.summary != null,
    carriesReasoning: (body.include ?? []).includes('reasoning.encrypted_content'),
    ...options,
  });
}

async function stream(
  request: GenerationRequest,
  progress: ResponseProgress,
  c: HttpRequestContext,
  context: HttpContext,
): Promise<Response> {
  const abort = abortWith(c.req.raw.signal);
  const events = generate(context, request, runOptions(c, 'first-token', abort.signal));
  return streamResponse(context, {
    events: renderBatches(events, renderResponse(progress), request.paramNames),
    encode: (event) => encode(numbered(event, progress)),
    abort,
    keepAlive: () => keepAliveText(progress),
    failure: (error) =>
      failureEvents(errorFacts(error, 'responses'), c.get('inferenceId'), progress).map(encode).join(''),
    record: c.get('record'),
  });
}

function encode(data: ResponseStreamEvent): string {
  return encodeServerSentEvent({ event: data.type, data });
}

/** How many input tokens a response has, without generating anything. */
export const inputTokensEndpoint: Endpoint = {
  name: 'responses',
  method: 'POST',
  path: '/responses/input_tokens',
  summary: 'Counts the input tokens of a response.',
  requestSchema: responsesRequestSchema,
  route: (context) => {
    const read = createBodyReader(context);
    return async (c) => {
      const { request, tools } = await read(c);
      await context.admit(c);
      nameIgnoredTools(c, tools.ignored);
      const input_tokens = await countTokens(context, request, runOptions(c, 'result'));
      return c.json({ object: 'response.input_tokens', input_tokens });
    };
  },
};
