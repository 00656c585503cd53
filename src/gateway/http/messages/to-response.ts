/** The events of a Messages stream as one message: the non-streaming answer is the collected stream. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
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

/**
 * The parsed object; of a cut text, the object that its complete members and elements make. Anything that is not the
 * beginning of an object gives `{}`.
 * @example completeObject('{"city":"Paris","unit":"cel') // { city: 'Paris' }
 */
export function completeObject(json: string): Record<string, unknown> {
  return parseObject(json) ?? parseObject(lastCompletePrefix(json)) ?? {};
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The text up to the last bracket or comma outside strings, with every open bracket closed. */
function lastCompletePrefix(json: string): string {
  const closers: string[] = [];
  let prefix = '';
  let inString = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
      continue;
    }
    if (character === '"') inString = true;
    else if (character === '{' || character === '[') closers.unshift(character === '{' ? '}' : ']');
    else if (character === '}' || character === ']') closers.shift();
    else if (character !== ',') continue;
    if (!inString) prefix = json.slice(0, character === ',' ? index : index + 1) + closers.join('');
  }
  return prefix;
}
