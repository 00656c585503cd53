/** One output item while it grows, and the events that tell of it. @module */
import type {
  CustomToolCallItem,
  FunctionCallItem,
  ItemStatus,
  MessageItem,
  OutputItem,
  OutputTextPart,
  ReasoningItem,
  ResponseEvent,
  ResponseLogprob,
} from './response-object.js';
import type { CustomInputReader } from './custom-tool.js';

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

/** A call of a custom tool without input yet. */
export function newCustomToolCall(id: string, callId: string, name: string): CustomToolCallItem {
  return { type: 'custom_tool_call', id, call_id: callId, name, input: '', status: 'in_progress' };
}

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
export function openItem({ item, index }: OpenItem, summarises: boolean, events: ResponseEvent[]): void {
  events.push({ type: 'response.output_item.added', output_index: index, item: structuredClone(item) });
  const position: Position = { item_id: item.id, output_index: index };
  if (item.type === 'message') {
    item.content.push({ type: 'output_text', text: '', annotations: [], logprobs: [] });
    const part: OutputTextPart = { type: 'output_text', text: '', annotations: [], logprobs: [] };
    events.push({ type: 'response.content_part.added', ...position, content_index: 0, part });
  } else if (item.type === 'reasoning') {
    item.content.push({ type: 'reasoning_text', text: '' });
    const part = { type: 'reasoning_text', text: '' } as const;
    events.push({ type: 'response.content_part.added', ...position, content_index: 0, part });
    if (!summarises) return;
    item.summary.push({ type: 'summary_text', text: '' });
    const summary = { type: 'summary_text', text: '' } as const;
    events.push({ type: 'response.reasoning_summary_part.added', ...position, summary_index: 0, part: summary });
  }
}

/** Adds text (or arguments, for a call) to the item. */
export function growItem(open: OpenItem, delta: string, logprobs: ResponseLogprob[], events: ResponseEvent[]): void {
  if (delta === '' && logprobs.length === 0) return;
  const { item, index, reader } = open;
  const position: Position = { item_id: item.id, output_index: index };
  switch (item.type) {
    case 'function_call':
      item.arguments += delta;
      events.push({ type: 'response.function_call_arguments.delta', ...position, delta });
      return;
    case 'custom_tool_call':
      return growInput(open, reader?.push(delta) ?? '', events);
    case 'message': {
      const [part] = item.content;
      if (!part) return;
      part.text += delta;
      part.logprobs.push(...logprobs);
      events.push({ type: 'response.output_text.delta', ...position, content_index: 0, delta, logprobs });
      return;
    }
    case 'reasoning': {
      const { content, summary } = item;
      if (content[0]) content[0].text += delta;
      events.push({ type: 'response.reasoning_text.delta', ...position, content_index: 0, delta });
      if (!summary[0]) return;
      summary[0].text += delta;
      events.push({ type: 'response.reasoning_summary_text.delta', ...position, summary_index: 0, delta });
    }
  }
}

function growInput({ item, index }: OpenItem, delta: string, events: ResponseEvent[]): void {
  if (item.type !== 'custom_tool_call' || delta === '') return;
  item.input += delta;
  events.push({ type: 'response.custom_tool_call_input.delta', item_id: item.id, output_index: index, delta });
}

/** Ends the item: its whole text, its parts, then itself. */
export function closeItem(open: OpenItem, status: ItemStatus, events: ResponseEvent[]): void {
  const { item, index, reader } = open;
  const position: Position = { item_id: item.id, output_index: index };
  if (reader) growInput(open, reader.end(), events);
  item.status = status;
  switch (item.type) {
    case 'function_call': {
      const { name, arguments: argumentsText } = item;
      events.push({ type: 'response.function_call_arguments.done', ...position, name, arguments: argumentsText });
      break;
    }
    case 'custom_tool_call':
      events.push({ type: 'response.custom_tool_call_input.done', ...position, input: item.input });
      break;
    case 'message':
      closeText(item, position, events);
      break;
    case 'reasoning':
      closeReasoning(item, position, events);
  }
  events.push({ type: 'response.output_item.done', output_index: index, item: structuredClone(item) });
}

function closeText({ content: [part] }: MessageItem, position: Position, events: ResponseEvent[]): void {
  if (!part) return;
  const { text, logprobs } = part;
  const at = { ...position, content_index: 0 };
  events.push(
    { type: 'response.output_text.done', ...at, text, logprobs },
    { type: 'response.content_part.done', ...at, part: structuredClone(part) },
  );
}

function closeReasoning(
  { content: [part], summary: [short] }: ReasoningItem,
  position: Position,
  events: ResponseEvent[],
): void {
  if (part) {
    const at = { ...position, content_index: 0 };
    events.push(
      { type: 'response.reasoning_text.done', ...at, text: part.text },
      { type: 'response.content_part.done', ...at, part: structuredClone(part) },
    );
  }
  if (!short) return;
  const at = { ...position, summary_index: 0 };
  events.push(
    { type: 'response.reasoning_summary_text.done', ...at, text: short.text },
    { type: 'response.reasoning_summary_part.done', ...at, part: structuredClone(short) },
  );
}
