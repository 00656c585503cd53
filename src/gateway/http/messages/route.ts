/** POST /messages @module */
import { MESSAGES_PATH } from '../../../core/errors/error-bodies.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { Endpoint } from '../endpoint.js';
import { runOptions } from '../generation/run-options.js';
import { errorObject } from '../errors/render-error.js';
import { generate } from '../generation/generate.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { requireModel } from '../policy/require-model.js';
import { encodeServerSentEvent } from '../sse/server-sent-event.js';
import type { ServerSentEvent } from '../sse/server-sent-event.js';
import { abortWith, streamResponse } from '../sse/stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { asksForCache } from './asks-for-cache.js';
import type { MessageStreamEvent } from './message-object.js';
import { messagesRequestSchema } from './request-schema.js';
import { FIELD_NAMES, showsThinking, toGenerationRequest } from './to-generation-request.js';
import { toMessage } from './to-response.js';
import { toMessageStream } from './to-stream.js';
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
    const events = generate(context, request, runOptions(c, 'result', signal), FIELD_NAMES);
    return c.json(await toMessage(toMessageStream(events, message)));
  },
};

async function stream(
  request: GenerationRequest,
  message: MessageContext,
  c: HttpRequestContext,
  context: HttpContext,
): Promise<Response> {
  const abort = abortWith(c.req.raw.signal);
  const events = generate(context, request, runOptions(c, 'first-token', abort.signal), FIELD_NAMES);
  return streamResponse(context, {
    events: toServerSentEvents(toMessageStream(events, message)),
    abort,
    keepAlive: () => encodeServerSentEvent({ event: 'ping', data: { type: 'ping' } }),
    failure: (error) => [{ event: 'error', data: errorObject(error, c.get('endpoint'), c.get('inferenceId')) }],
  });
}

async function* toServerSentEvents(
  pieces: AsyncIterable<readonly MessageStreamEvent[]>,
): AsyncGenerator<ServerSentEvent[]> {
  for await (const piece of pieces) yield piece.map((data) => ({ event: data.type, data }));
}
