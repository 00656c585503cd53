/** POST /messages and POST /messages/count_tokens @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { errorObject } from '../errors/render-error.js';
import { completeObject } from '../fields/complete-object.js';
import { nameIgnoredTools } from '../endpoint/ignored-tools.js';
import { countTokens, runOptions } from '../generation/generate.js';
import { acceptRequest, type BodyReader, generationRoute } from '../generation/generation-route.js';
import { encodeServerSentEvent } from '../endpoint/stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import type { BlockDelta, ContentBlock, MessageObject, MessageStreamEvent } from './message-object.js';
import {
  asksForCache,
  type CountTokensRequest,
  countTokensRequestSchema,
  messagesRequestSchema,
  thinkingDisplay,
  toGenerationRequest,
  toPromptRequest,
} from './request.js';
import { type MessageContext, renderMessage } from './to-stream.js';
import { ignoredTypes } from './tools.js';

/** The next message of a conversation, in Anthropic's dialect, streamed or not. */
export const messages: EndpointBody = {
  requestSchema: messagesRequestSchema,
  route: generationRoute(({ compatibility }) => {
    const schema = messagesRequestSchema(compatibility);
    return {
      parse: (json) => parseBody(schema, json),
      read: ({ body, json, modelId, images }) => {
        const showCache = asksForCache(json);
        const request: GenerationRequest = {
          ...toGenerationRequest(body, modelId, images, compatibility),
          ...(showCache && { cachePrompt: 'requested' }),
        };
        return { request, showCache };
      },
      answer: ({ body, request, showCache }, c, context) => {
        nameIgnoredTools(c, ignoredTypes(body.tools));
        const id = `msg_${context.createId().replaceAll('-', '')}`;
        const message: MessageContext = { id, thinking: thinkingDisplay(body), showCache, compatibility };
        return {
          collect: (generate) => toMessage(generate(request, renderMessage(message))),
          stream: (generate) => ({
            events: generate(request, renderMessage(message)),
            encode: (data: MessageStreamEvent) => encodeServerSentEvent({ event: data.type, data }),
            keepAlive: () => encodeServerSentEvent({ event: 'ping', data: { type: 'ping' } }),
            failure: (error) => {
              const data = errorObject(error, c.get('endpoint'), c.get('inferenceId'));
              return encodeServerSentEvent({ event: 'error', data });
            },
          }),
        };
      },
    };
  }),
};

/** How many input tokens a Messages request has, without generating anything. */
export const tokenCount: EndpointBody = {
  requestSchema: countTokensRequestSchema,
  route: (context) => {
    const schema = countTokensRequestSchema(context.compatibility);
    const reader: BodyReader<CountTokensRequest, { request: GenerationRequest }> = {
      parse: (json) => parseBody(schema, json),
      read: ({ body, modelId, images }) => ({ request: toPromptRequest(body, modelId, images, context.compatibility) }),
    };
    return async (c) => {
      const { body, request } = await acceptRequest(reader, c, context);
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
