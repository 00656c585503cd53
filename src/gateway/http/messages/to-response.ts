/** The events of a Messages stream as one message: the non-streaming answer is the collected stream. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { completeObject } from '../fields/complete-object.js';
import type { BlockDelta, ContentBlock, MessageObject, MessageStreamEvent } from './message-object.js';

/**
 * Adds all events up. Tool input that the token cap cut becomes the object that its complete members make.
 * @throws what the events throw
 */
export async function toMessage(events: AsyncIterable<readonly MessageStreamEvent[]>): Promise<MessageObject> {
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
