/** The events of a Responses stream, without the sequence number that each gets last. @module */
import type {
  OutputItem,
  OutputTextPart,
  ReasoningTextPart,
  ResponseLogprob,
  ResponseObject,
  SummaryTextPart,
} from './response-object.js';

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
export interface LifecycleEvent {
  type: 'response.created' | 'response.in_progress' | 'response.completed' | 'response.incomplete' | 'response.failed';
  response: ResponseObject;
}

/** Events that build one output item. */
export type ItemEvent =
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
