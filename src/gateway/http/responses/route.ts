/** POST /responses @module */
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { Endpoint } from '../endpoint.js';
import { generate, renderBatches, runOptions } from '../generation/generate.js';
import { errorFacts } from '../errors/error-table.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { requireModel } from '../policy/require-model.js';
import { encodeServerSentEvent } from '../sse/server-sent-event.js';
import { abortWith, streamResponse } from '../sse/stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import {
  customToolNames,
  refuseBuiltInTools,
  responsesRequestSchema,
  toEchoedFields,
  toGenerationRequest,
} from './request.js';
import { RecentItems } from './recent-items.js';
import type { ResponsesRequest } from './request.js';
import type { OutputItem, ResponseStreamEvent } from './response-object.js';
import { resolveReferences } from './input.js';
import { startResponse } from './response-object.js';
import { failureEvents, keepAliveText, renderResponse, startProgress, toResponse } from './to-stream.js';
import type { ResponseProgress } from './to-stream.js';

/** Output items for a conversation, streamed or not. Nothing is stored but late items, in memory. */
export const responsesEndpoint: Endpoint = {
  name: 'responses',
  method: 'POST',
  path: '/responses',
  summary: 'Creates a response: messages, reasoning and function calls.',
  requestSchema: () => responsesRequestSchema,
  route: (context) => {
    const recent = new RecentItems();
    return async (c) => {
      const json = await readJsonBody(c, context);
      const body = refuseBuiltInTools(json, () => parseBody(responsesRequestSchema, json));
      const entry = requireModel(context.inference.catalog, body.model, 'chat');
      const input = resolveReferences(body.input, (id) => recent.find(c.get('caller'), id));
      const request = await toGenerationRequest(body, input, entry.id);
      await context.admit(c);
      const progress = createProgress(body, entry.id, context, (item) => recent.keep(c.get('caller'), item));
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
  onItem: (item: OutputItem) => void,
): ResponseProgress {
  const createId = (prefix: string) => `${prefix}_${context.createId().replaceAll('-', '')}`;
  const now = () => Math.floor(context.now() / 1000);
  const response = startResponse(toEchoedFields(body, model), createId('resp'), now());
  return startProgress(response, {
    createId,
    now,
    summarises: body.reasoning?.summary != null,
    carriesReasoning: (body.include ?? []).includes('reasoning.encrypted_content'),
    customTools: customToolNames(body),
    onItem,
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
    encode,
    abort,
    keepAlive: () => keepAliveText(progress),
    failure: (error) =>
      failureEvents(errorFacts(error, 'responses'), c.get('inferenceId'), progress).map(encode).join(''),
  });
}

function encode(data: ResponseStreamEvent): string {
  return encodeServerSentEvent({ event: data.type, data });
}
