/** POST /messages and POST /messages/count_tokens @module */
import { MESSAGES_PATH } from '../../../core/errors/error-bodies.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { Endpoint } from '../endpoint.js';
import { errorObject } from '../errors/render-error.js';
import { completeObject } from '../fields/complete-object.js';
import { nameIgnoredTools } from '../fields/ignored-tools.js';
import { RequestImages } from '../fields/request-images.js';
import { countTokens, generate, recordedContext, renderBatches, runOptions } from '../generation/generate.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { requireModel } from '../policy/require-model.js';
import { abortWith, encodeServerSentEvent, streamResponse } from '../stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import type { BlockDelta, ContentBlock, MessageObject, MessageStreamEvent } from './message-object.js';
import {
  asksForCache,
  countTokensRequestSchema,
  messagesRequestSchema,
  showsThinking,
  toGenerationRequest,
  toPromptRequest,
} from './request.js';
import { type MessageContext, renderMessage } from './to-stream.js';
import { ignoredTypes } from './tools.js';

/** The next message of a conversation, in Anthropic's dialect, streamed or not. */
export const messagesEndpoint: Endpoint = {
  name: 'messages',
  method: 'POST',
  path: MESSAGES_PATH,
  summary: 'Creates the next message of a conversation.',
  requestSchema: messagesRequestSchema,
  route: (shared) => {
    const schema = messagesRequestSchema(shared.compatibility);
    return async (c) => {
      const context = recordedContext(c, shared);
      const json = await readJsonBody(c, context);
      const body = parseBody(schema, json);
      const entry = requireModel(context.inference.catalog, body.model, 'chat');
      const images = new RequestImages();
      const showCache = asksForCache(json);
      const request: GenerationRequest = {
        ...toGenerationRequest(body, entry.id, images, context.compatibility),
        ...(showCache && { cachePrompt: 'requested' }),
      };
      await images.decodeAll(context.inference.takesImages(entry.id), c.req.raw.signal);
      await context.admit(c);
      nameIgnoredTools(c, ignoredTypes(body.tools));
      const id = `msg_${context.createId().replaceAll('-', '')}`;
      const message: MessageContext = {
        id,
        showThinking: showsThinking(body),
        showCache,
      };
      if (body.stream === true) return stream(request, message, c, context);
      const signal = c.req.raw.signal;
      const events = generate(context, request, runOptions(c, 'result', signal));
      return c.json(await toMessage(renderBatches(events, renderMessage(message), request.paramNames)));
    };
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
    resumeState: c.get('resumeState'),
  });
}

/** How many input tokens a Messages request has, without generating anything. */
export const countTokensEndpoint: Endpoint = {
  name: 'messages',
  method: 'POST',
  path: `${MESSAGES_PATH}/count_tokens`,
  summary: 'Counts the input tokens of a Messages request.',
  requestSchema: countTokensRequestSchema,
  route: (context) => {
    const schema = countTokensRequestSchema(context.compatibility);
    return async (c) => {
      const body = parseBody(schema, await readJsonBody(c, context));
      const entry = requireModel(context.inference.catalog, body.model, 'chat');
      const images = new RequestImages();
      const request = toPromptRequest(body, entry.id, images);
      await images.decodeAll(context.inference.takesImages(entry.id), c.req.raw.signal);
      await context.admit(c);
      nameIgnoredTools(c, ignoredTypes(body.tools));
      return c.json({ input_tokens: await countTokens(context, request, runOptions(c, 'result')) });
    };
  },
};

/**
 * Adds all events up. Tool input that the token cap cut becomes the object that its complete members make.
 * @throws what the events throw
 */
async function toMessage(events: AsyncIterable<readonly MessageStreamEvent[]>): Promise<MessageObject> {
  let message: MessageObject | undefined;
  const inputs = new Map<number, string>();
  for await (const piece of events) {
    for (const event of piece) {
      if (event.type === 'message_start') message = event.message;
      if (message) addEvent(message, inputs, event);
    }
  }
  if (message?.stop_reason == null) throw new InferenceError('internal', 'The generation ended without a result.');
  return message;
}

function addEvent(message: MessageObject, inputs: Map<number, string>, event: MessageStreamEvent): void {
  switch (event.type) {
    case 'content_block_start':
      message.content.push(event.content_block);
      break;
    case 'content_block_delta':
      addDelta(message.content[event.index], event.delta, inputs, event.index);
      break;
    case 'content_block_stop': {
      const block = message.content[event.index];
      if (block?.type === 'tool_use') block.input = completeObject(inputs.get(event.index) ?? '');
      break;
    }
    case 'message_delta':
      Object.assign(message, event.delta, { usage: event.usage });
      break;
    case 'message_start':
    case 'ping':
    case 'message_stop':
      break;
  }
}

function addDelta(
  block: ContentBlock | undefined,
  delta: BlockDelta,
  inputs: Map<number, string>,
  index: number,
): void {
  if (block?.type === 'text' && delta.type === 'text_delta') block.text += delta.text;
  if (block?.type === 'thinking' && delta.type === 'thinking_delta') block.thinking += delta.thinking;
  if (block?.type === 'thinking' && delta.type === 'signature_delta') block.signature = delta.signature;
  if (delta.type === 'input_json_delta') inputs.set(index, (inputs.get(index) ?? '') + delta.partial_json);
}
