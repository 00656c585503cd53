/** One output item while it grows, and the events that tell of it. @module */
import type { ItemEvent } from './response-event.js';
import type {
  FunctionCallItem,
  ItemStatus,
  MessageItem,
  OutputItem,
  ReasoningItem,
  ResponseLogprob,
} from './response-object.js';

/** The item that the model is writing. Items grow one after the other. */
export interface OpenItem {
  /** Position in the response's output. */
  index: number;
  item: OutputItem;
}

/** A message without text yet. */
export function newMessage(id: string): MessageItem {
  return { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] };
}

/** A reasoning item without text yet. */
export function newReasoning(id: string): ReasoningItem {
  return { type: 'reasoning', id, status: 'in_progress', summary: [], content: [] };
}

/** A call without arguments yet. */
export function newFunctionCall(id: string, callId: string, name: string): FunctionCallItem {
  return { type: 'function_call', id, call_id: callId, name, arguments: '', status: 'in_progress' };
}

/** Announces the item, then its only content part. Adds that part to the item. */
export function* openEvents({ item, index }: OpenItem): Generator<ItemEvent> {
  yield { type: 'response.output_item.added', output_index: index, item: structuredClone(item) };
  if (item.type === 'function_call') return;
  const position = { item_id: item.id, output_index: index, content_index: 0 };
  if (item.type === 'message') {
    item.content.push({ type: 'output_text', text: '', annotations: [], logprobs: [] });
    yield {
      type: 'response.content_part.added',
      ...position,
      part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
    };
  } else {
    item.content.push({ type: 'reasoning_text', text: '' });
    yield { type: 'response.content_part.added', ...position, part: { type: 'reasoning_text', text: '' } };
  }
}

/** Adds text (or arguments, for a call) to the item. */
export function* growEvents(
  { item, index }: OpenItem,
  delta: string,
  logprobs: ResponseLogprob[] = [],
): Generator<ItemEvent> {
  if (delta === '' && logprobs.length === 0) return;
  const position = { item_id: item.id, output_index: index };
  if (item.type === 'function_call') {
    item.arguments += delta;
    yield { type: 'response.function_call_arguments.delta', ...position, delta };
    return;
  }
  const part = item.content[0];
  if (!part) return;
  part.text += delta;
  if (part.type === 'output_text') {
    part.logprobs.push(...logprobs);
    yield { type: 'response.output_text.delta', ...position, content_index: 0, delta, logprobs };
  } else {
    yield { type: 'response.reasoning_text.delta', ...position, content_index: 0, delta };
  }
}

/** Ends the item: its whole text, its part, then itself. */
export function* closeEvents({ item, index }: OpenItem, status: ItemStatus): Generator<ItemEvent> {
  item.status = status;
  const position = { item_id: item.id, output_index: index };
  if (item.type === 'function_call') {
    const { name, arguments: argumentsText } = item;
    yield { type: 'response.function_call_arguments.done', ...position, name, arguments: argumentsText };
  } else {
    const part = item.content[0];
    if (part?.type === 'output_text') {
      const { text, logprobs } = part;
      yield { type: 'response.output_text.done', ...position, content_index: 0, text, logprobs };
    } else if (part) {
      yield { type: 'response.reasoning_text.done', ...position, content_index: 0, text: part.text };
    }
    if (part) yield { type: 'response.content_part.done', ...position, content_index: 0, part: structuredClone(part) };
  }
  yield { type: 'response.output_item.done', output_index: index, item: structuredClone(item) };
}
