/** What `/responses` answers with, and the events that build it up. @module */
import type { GenerationUsage } from '../../answer/generation-event.js';

/** Where an output item stands; `incomplete`: the token cap cut it. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** One token with its log-probability and the alternatives at its position. */
export interface ResponseLogprob {
  token: string;
  bytes: number[];
  logprob: number;
  top_logprobs: { token: string; bytes: number[]; logprob: number }[];
}

/** Where in a text a file is cited. */
export interface FileCitation {
  type: 'file_citation';
  file_id: string;
  filename: string;
  /** In UTF-16. */
  index: number;
}

export interface OutputTextPart {
  type: 'output_text';
  text: string;
  annotations: FileCitation[];
  /** Empty unless the request included `message.output_text.logprobs`. */
  logprobs: ResponseLogprob[];
}
interface ReasoningTextPart {
  type: 'reasoning_text';
  text: string;
}

export interface MessageItem {
  type: 'message';
  id: string;
  role: 'assistant';
  status: ItemStatus;
  content: OutputTextPart[];
}
interface SummaryTextPart {
  type: 'summary_text';
  text: string;
}
export interface ReasoningItem {
  type: 'reasoning';
  id: string;
  status: ItemStatus;
  /** The thinking once more, for clients that show nothing else; empty unless a summary was asked for. */
  summary: SummaryTextPart[];
  content: ReasoningTextPart[];
  /** The thinking, for clients that send it back; only when it was asked for. */
  encrypted_content?: string;
}
interface FunctionCallItem {
  type: 'function_call';
  id: string;
  /** What the client's `function_call_output` answers to. */
  call_id: string;
  name: string;
  /** Where the client has the function from; absent for a function of the request itself. */
  namespace?: string;
  /** JSON text. */
  arguments: string;
  status: ItemStatus;
}
export interface CustomToolCallItem {
  type: 'custom_tool_call';
  id: string;
  /** What the client's `custom_tool_call_output` answers to. */
  call_id: string;
  name: string;
  /** As in {@link FunctionCallItem}. */
  namespace?: string;
  input: string;
  status: ItemStatus;
}

/** A call of a tool with a published schema: its arguments are an object. */
export type PublishedCallItem = { id: string; call_id: string; status: ItemStatus } & (
  | { type: 'apply_patch_call'; operation: Record<string, unknown> }
  | { type: 'shell_call' | 'local_shell_call'; action: Record<string, unknown> }
  | { type: 'tool_search_call'; execution: 'client'; arguments: Record<string, unknown> }
);

/** A search in files, which came before the answer. */
export interface FileSearchCallItem {
  type: 'file_search_call';
  id: string;
  status: ItemStatus;
  queries: string[];
  /** Null unless the request included `file_search_call.results`. */
  results: { file_id: string; filename: string; score: number; attributes: object; text: string }[] | null;
}

export type OutputItem =
  | FileSearchCallItem
  | MessageItem
  | ReasoningItem
  | FunctionCallItem
  | CustomToolCallItem
  | PublishedCallItem;

export interface ResponseUsage {
  /** Cached tokens included. */
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  /** Reasoning included. */
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
}

/** Fields that repeat or complete the request, the same from the first event to the last. */
export interface EchoedFields {
  model: string;
  instructions: string | null;
  frequency_penalty: number;
  presence_penalty: number;
  max_output_tokens: number | null;
  max_tool_calls: number | null;
  metadata: Record<string, string>;
  parallel_tool_calls: boolean;
  prompt_cache_key: string | null;
  reasoning: { effort: string | null; summary: string | null };
  safety_identifier: string | null;
  temperature: number;
  text: { format: object };
  tool_choice: string | object;
  tools: object[];
  top_logprobs: number;
  top_p: number;
  truncation: 'auto' | 'disabled';
  user: string | null;
  /** Made while no one waits. */
  background: boolean;
  previous_response_id: string | null;
  /** Where it was made; null: its items could not be added there. */
  conversation?: { id: string } | null;
  /** Whether a later request may name it. */
  store: boolean;
}

/** Fields that are the same for every response. */
interface FixedFields {
  object: 'response';
  service_tier: 'default';
}

export interface ResponseObject extends EchoedFields, FixedFields {
  id: string;
  /** Unix seconds. */
  created_at: number;
  completed_at: number | null;
  status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  error: { code: string; message: string } | null;
  incomplete_details: { reason: 'max_output_tokens' } | null;
  output: OutputItem[];
  usage: ResponseUsage | null;
}

/** A response that has just begun. `createdAt` is in Unix seconds. */
export function startResponse(echoed: EchoedFields, id: string, createdAt: number): ResponseObject {
  return {
    id,
    object: 'response',
    created_at: createdAt,
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
    ...echoed,
    service_tier: 'default',
  };
}

/** The token counts of a finished generation. */
export function toResponseUsage(usage: GenerationUsage): ResponseUsage {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: 0 },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + usage.completionTokens,
  };
}

interface ItemPosition {
  item_id: string;
  output_index: number;
}
interface PartPosition extends ItemPosition {
  content_index: number;
}
interface SummaryPosition extends ItemPosition {
  summary_index: number;
}

/** Events that carry the whole response. */
interface LifecycleEvent {
  type: 'response.created' | 'response.in_progress' | 'response.completed' | 'response.incomplete' | 'response.failed';
  response: ResponseObject;
}

/** Events that build one output item. */
type ItemEvent =
  | { type: 'response.output_item.added' | 'response.output_item.done'; output_index: number; item: OutputItem }
  | (PartPosition & {
      type: 'response.content_part.added' | 'response.content_part.done';
      part: OutputTextPart | ReasoningTextPart;
    })
  | (PartPosition & { type: 'response.output_text.delta'; delta: string; logprobs: ResponseLogprob[] })
  | (PartPosition & { type: 'response.output_text.done'; text: string; logprobs: ResponseLogprob[] })
  | (PartPosition & { type: 'response.reasoning_text.delta'; delta: string })
  | (PartPosition & { type: 'response.reasoning_text.done'; text: string })
  | (SummaryPosition & {
      type: 'response.reasoning_summary_part.added' | 'response.reasoning_summary_part.done';
      part: SummaryTextPart;
    })
  | (SummaryPosition & { type: 'response.reasoning_summary_text.delta'; delta: string })
  | (SummaryPosition & { type: 'response.reasoning_summary_text.done'; text: string })
  | (PartPosition & {
      type: 'response.output_text.annotation.added';
      annotation_index: number;
      annotation: FileCitation;
    })
  | (ItemPosition & {
      type:
        | 'response.file_search_call.in_progress'
        | 'response.file_search_call.searching'
        | 'response.file_search_call.completed';
    })
  | (ItemPosition & { type: 'response.custom_tool_call_input.delta'; delta: string })
  | (ItemPosition & { type: 'response.custom_tool_call_input.done'; input: string })
  | (ItemPosition & { type: 'response.function_call_arguments.delta'; delta: string })
  | (ItemPosition & { type: 'response.function_call_arguments.done'; name: string; arguments: string });

/** What went wrong: the general error object, and its fields once more beside it, as clients know this event. */
export interface StreamErrorEvent {
  type: 'error';
  code: string | null;
  message: string;
  param: string | null;
  error: { type: string; code: string | null; message: string; param: string | null };
  request_id: string;
}

export type ResponseEvent = LifecycleEvent | ItemEvent | StreamErrorEvent;

/** `sequence_number` counts from 0 by ones. */
export type ResponseStreamEvent = ResponseEvent & { sequence_number: number };

/** What the last event of a response is. */
export const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);
