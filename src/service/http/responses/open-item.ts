/** One output item while it grows, and the events that tell of it. @module */
import type { CitationReader, CitedPiece } from './citations.js';
import type {
  ItemStatus,
  MessageItem,
  OutputItem,
  OutputTextPart,
  PublishedCallItem,
  ReasoningItem,
  ResponseEvent,
  ResponseLogprob,
} from './response-object.js';
import { completeObject, readObject } from '../fields/complete-object.js';
import { CustomInputReader } from '../fields/custom-tool.js';
import type { CallForm } from './tools.js';

/** A message without text yet. */
export function newMessage(id: string): MessageItem {
  return { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] };
}

/** A reasoning item without text yet. */
export function newReasoning(id: string): ReasoningItem {
  return { type: 'reasoning', id, status: 'in_progress', summary: [], content: [] };
}

/** A call without arguments yet, in the form that the client expects. */
export function newCall(form: CallForm, callId: string, createId: (prefix: CallPrefix) => string): NewItem {
  const status: ItemStatus = 'in_progress';
  switch (form.type) {
    case 'function_call': {
      const { type, ...named } = form;
      return { item: { type, id: createId('fc'), call_id: callId, ...named, arguments: '', status } };
    }
    case 'custom_tool_call': {
      const { type, ...named } = form;
      const item: OutputItem = { type, id: createId('ctc'), call_id: callId, ...named, input: '', status };
      return { item, reader: new CustomInputReader() };
    }
    case 'apply_patch':
      return {
        item: { type: 'apply_patch_call', id: createId('apc'), call_id: callId, status, operation: {} },
        json: '',
      };
    case 'shell':
      return { item: { type: 'shell_call', id: createId('sh'), call_id: callId, status, action: {} }, json: '' };
    case 'local_shell':
      return { item: { type: 'local_shell_call', id: createId('lsh'), call_id: callId, status, action: {} }, json: '' };
    case 'tool_search': {
      const item = {
        type: 'tool_search_call',
        id: createId('ts'),
        call_id: callId,
        status,
        execution: 'client',
      } as const;
      return { item: { ...item, arguments: {} }, json: '' };
    }
  }
}

/** What the ids of calls begin with. */
export type CallPrefix = 'fc' | 'ctc' | 'apc' | 'sh' | 'lsh' | 'ts';

/** An item that has just begun. */
export type NewItem = Omit<OpenItem, 'index'>;

/** The item that the model is writing. Items grow one after the other. */
export interface OpenItem {
  /** Position in the response's output. */
  index: number;
  item: OutputItem;
  /** Of a custom call: its input within the arguments that the model writes. */
  reader?: CustomInputReader;
  /** Of a call whose arguments are an object: their JSON so far. The client is told of the whole object only. */
  json?: string;
  /** Of a message: takes the marks of citations out of its text. */
  citations?: CitationReader;
}

interface Position {
  item_id: string;
  output_index: number;
}

/** Announces the item, then its content part (and the part of its summary). Adds these to the item. */
export function openItem({ item, index, json }: OpenItem, summarises: boolean, events: ResponseEvent[]): void {
  if (json !== undefined) return;
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
export function appendToItem(
  open: OpenItem,
  delta: string,
  logprobs: ResponseLogprob[],
  events: ResponseEvent[],
): void {
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
      if (!open.citations) return growText(open, { text: delta, citations: [] }, logprobs, events);
      const pieces = open.citations.push(delta);
      if (pieces.length === 0 && logprobs.length > 0) pieces.push({ text: '', citations: [] });
      for (const [place, piece] of pieces.entries()) growText(open, piece, place === 0 ? logprobs : [], events);
      return;
    }
    case 'reasoning': {
      const { content, summary } = item;
      if (content[0]) content[0].text += delta;
      events.push({ type: 'response.reasoning_text.delta', ...position, content_index: 0, delta });
      if (!summary[0]) return;
      summary[0].text += delta;
      events.push({ type: 'response.reasoning_summary_text.delta', ...position, summary_index: 0, delta });
      return;
    }
    case 'file_search_call':
      return;
    default:
      open.json += delta;
  }
}

function growText(
  { item, index }: OpenItem,
  { text: delta, citations }: CitedPiece,
  logprobs: ResponseLogprob[],
  events: ResponseEvent[],
): void {
  const part = item.type === 'message' ? item.content[0] : undefined;
  if (!part) return;
  const position = { item_id: item.id, output_index: index, content_index: 0 };
  part.text += delta;
  part.logprobs.push(...logprobs);
  if (delta !== '' || logprobs.length > 0)
    events.push({ type: 'response.output_text.delta', ...position, delta, logprobs });
  for (const annotation of citations) {
    const annotation_index = part.annotations.push(annotation) - 1;
    events.push({ type: 'response.output_text.annotation.added', ...position, annotation_index, annotation });
  }
}

function growInput({ item, index }: OpenItem, delta: string, events: ResponseEvent[]): void {
  if (item.type !== 'custom_tool_call' || delta === '') return;
  item.input += delta;
  events.push({ type: 'response.custom_tool_call_input.delta', item_id: item.id, output_index: index, delta });
}

/**
 * Ends the item: its whole text, its parts, then itself.
 * @returns false: the model wrote no object where the item has one, so there is no item
 */
export function closeItem(open: OpenItem, status: ItemStatus, events: ResponseEvent[]): boolean {
  const { item, index, reader } = open;
  const position: Position = { item_id: item.id, output_index: index };
  if (reader) growInput(open, reader.end(), events);
  for (const piece of open.citations?.end() ?? []) growText(open, piece, [], events);
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
      break;
    case 'file_search_call':
      break;
    default: {
      const json = open.json ?? '';
      const given = status === 'incomplete' ? completeObject(json) : readObject(json);
      if (!given) return false;
      fillObject(item, given);
      const added = structuredClone({ ...item, status: 'in_progress' as const });
      events.push({ type: 'response.output_item.added', output_index: index, item: added });
    }
  }
  events.push({ type: 'response.output_item.done', output_index: index, item: structuredClone(item) });
  return true;
}

function fillObject(item: PublishedCallItem, given: Record<string, unknown>): void {
  if (item.type === 'apply_patch_call') {
    const { diff, ...deletion } = given;
    item.operation = given['type'] === 'delete_file' && diff === '' ? deletion : given;
  } else if (item.type === 'tool_search_call') item.arguments = given;
  else item.action = item.type === 'local_shell_call' ? { type: 'exec', env: {}, ...given } : given;
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
