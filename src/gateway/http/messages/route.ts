/** POST /messages and POST /messages/count_tokens @module */
import { MESSAGES_PATH } from '../../../core/errors/error-bodies.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { Endpoint } from '../endpoint.js';
import { countTokens, generate, renderBatches, runOptions } from '../generation/generate.js';
import { errorObject } from '../errors/render-error.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { requireModel } from '../policy/require-model.js';
import { encodeServerSentEvent } from '../sse/server-sent-event.js';
import { abortWith, streamResponse } from '../sse/stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import {
  asksForCache,
  countTokensRequestSchema,
  messagesRequestSchema,
  showsThinking,
  toGenerationRequest,
  toPromptRequest,
} from './request.js';
import { toMessage } from './to-response.js';
import { renderMessage } from './to-stream.js';
import type { MessageContext } from './to-stream.js';

/** The next message of a conversation, in Anthropic's dialect, streamed or not. */
export const messagesEndpoint: Endpoint = {
  name: 'messages',
  method: 'POST',
  path: MESSAGES_PATH,
  summary: 'Creates the next message of a conversation.',
  requestSchema: () => messagesRequestSchema,
  route: (context) => async (c) => {
    const json = await readJsonBody(c, context);
    const body = parseBody(messagesRequestSchema, json);
    const entry = requireModel(context.inference.catalog, body.model, 'chat');
    const request = await toGenerationRequest(body, entry.id);
    await context.admit(c);
    const id = `msg_${context.createId().replaceAll('-', '')}`;
    const message: MessageContext = {
      id,
      showThinking: showsThinking(body),
      showCache: asksForCache(json),
    };
    if (body.stream === true) return stream(request, message, c, context);
    const signal = c.req.raw.signal;
    const events = generate(context, request, runOptions(c, 'result', signal));
    return c.json(await toMessage(renderBatches(events, renderMessage(message), request.paramNames)));
  },
};

async function stream(
  request: GenerationRequest,
  message: MessageContext,
  c: HttpRequestContext,
  context: HttpContext,
): Promise<Response> {
  const abort = abortWith(c.req.raw.signal);
  const events = generate(context, request, runOptions(c, 'first-token', abort.signal));
  return streamResponse(context, {
    events: renderBatches(events, renderMessage(message), request.paramNames),
    encode: (data) => encodeServerSentEvent({ event: data.type, data }),
    abort,
    keepAlive: () => encodeServerSentEvent({ event: 'ping', data: { type: 'ping' } }),
    failure: (error) =>
      encodeServerSentEvent({ event: 'error', data: errorObject(error, c.get('endpoint'), c.get('inferenceId')) }),
  });
}

/** How many input tokens a Messages request has, without generating anything. */
export const countTokensEndpoint: Endpoint = {
  name: 'messages',
  method: 'POST',
  path: `${MESSAGES_PATH}/count_tokens`,
  summary: 'Counts the input tokens of a Messages request.',
  requestSchema: () => countTokensRequestSchema,
  route: (context) => async (c) => {
    const body = parseBody(countTokensRequestSchema, await readJsonBody(c, context));
    const entry = requireModel(context.inference.catalog, body.model, 'chat');
    const request = await toPromptRequest(body, entry.id);
    await context.admit(c);
    return c.json({ input_tokens: await countTokens(context, request, runOptions(c, 'result')) });
  },
};
