/** One output item while it grows, and the events that tell of it. @module */
import type { CustomInputReader } from './custom-tool.js';
import type { ItemEvent } from './response-event.js';
import type { ItemStatus, MessageItem, OutputItem, ReasoningItem, ResponseLogprob } from './response-object.js';

/** The item that the model is writing. Items grow one after the other. */
export interface OpenItem {
  /** Position in the response's output. */
  index: number;
  item: OutputItem;
  /** Of a custom call: its input within the arguments that the model writes. */
  reader?: CustomInputReader;
}

interface Position {
  item_id: string;
  output_index: number;
}

/** Announces the item, then its content part (and the part of its summary). Adds these to the item. */
export function* openEvents({ item, index }: OpenItem, summarises: boolean): Generator<ItemEvent> {
  yield { type: 'response.output_item.added', output_index: index, item: structuredClone(item) };
  const position: Position = { item_id: item.id, output_index: index };
  if (item.type === 'message') {
    item.content.push({ type: 'output_text', text: '', annotations: [], logprobs: [] });
    yield {
      type: 'response.content_part.added',
      ...position,
      content_index: 0,
      part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
    };
  } else if (item.type === 'reasoning') {
    item.content.push({ type: 'reasoning_text', text: '' });
    const part = { type: 'reasoning_text', text: '' } as const;
    yield { type: 'response.content_part.added', ...position, content_index: 0, part };
    if (!summarises) return;
    item.summary.push({ type: 'summary_text', text: '' });
    const summary = { type: 'summary_text', text: '' } as const;
    yield { type: 'response.reasoning_summary_part.added', ...position, summary_index: 0, part: summary };
  }
}

/** Adds text (or arguments, for a call) to the item. */
export function* growEvents(open: OpenItem, delta: string, logprobs: ResponseLogprob[] = []): Generator<ItemEvent> {
  if (delta === '' && logprobs.length === 0) return;
  const { item, index, reader } = open;
  const position: Position = { item_id: item.id, output_index: index };
  switch (item.type) {
    case 'function_call':
      item.arguments += delta;
      yield { type: 'response.function_call_arguments.delta', ...position, delta };
      return;
    case 'custom_tool_call':
      yield* growInput(open, reader?.push(delta) ?? '');
      return;
    case 'message':
      yield* growText(item, position, delta, logprobs);
      return;
    case 'reasoning':
      yield* growReasoning(item, position, delta);
  }
}

function* growInput({ item, index }: OpenItem, delta: string): Generator<ItemEvent> {
  if (item.type !== 'custom_tool_call' || delta === '') return;
  item.input += delta;
  yield { type: 'response.custom_tool_call_input.delta', item_id: item.id, output_index: index, delta };
}

function* growText(
  { content: [part] }: MessageItem,
  position: Position,
  delta: string,
  logprobs: ResponseLogprob[],
): Generator<ItemEvent> {
  if (!part) return;
  part.text += delta;
  part.logprobs.push(...logprobs);
  yield { type: 'response.output_text.delta', ...position, content_index: 0, delta, logprobs };
}

function* growReasoning(item: ReasoningItem, position: Position, delta: string): Generator<ItemEvent> {
  const { content, summary } = item;
  if (content[0]) content[0].text += delta;
  yield { type: 'response.reasoning_text.delta', ...position, content_index: 0, delta };
  if (!summary[0]) return;
  summary[0].text += delta;
  yield { type: 'response.reasoning_summary_text.delta', ...position, summary_index: 0, delta };
}

/** Ends the item: its whole text, its parts, then itself. */
export function* closeEvents(open: OpenItem, status: ItemStatus): Generator<ItemEvent> {
  const { item, index, reader } = open;
  const position: Position = { item_id: item.id, output_index: index };
  if (reader) yield* growInput(open, reader.end());
  item.status = status;
  switch (item.type) {
    case 'function_call': {
      const { name, arguments: argumentsText } = item;
      yield { type: 'response.function_call_arguments.done', ...position, name, arguments: argumentsText };
      break;
    }
    case 'custom_tool_call':
      yield { type: 'response.custom_tool_call_input.done', ...position, input: item.input };
      break;
    case 'message':
      yield* closeText(item, position);
      break;
    case 'reasoning':
      yield* closeReasoning(item, position);
  }
  yield { type: 'response.output_item.done', output_index: index, item: structuredClone(item) };
}

function* closeText({ content: [part] }: MessageItem, position: Position): Generator<ItemEvent> {
  if (!part) return;
  const { text, logprobs } = part;
  yield { type: 'response.output_text.done', ...position, content_index: 0, text, logprobs };
  yield { type: 'response.content_part.done', ...position, content_index: 0, part: structuredClone(part) };
}

function* closeReasoning(
  { content: [part], summary: [short] }: ReasoningItem,
  position: Position,
): Generator<ItemEvent> {
  if (part) {
    yield { type: 'response.reasoning_text.done', ...position, content_index: 0, text: part.text };
    yield { type: 'response.content_part.done', ...position, content_index: 0, part: structuredClone(part) };
  }
  if (!short) return;
  yield { type: 'response.reasoning_summary_text.done', ...position, summary_index: 0, text: short.text };
  yield { type: 'response.reasoning_summary_part.done', ...position, summary_index: 0, part: structuredClone(short) };
}
