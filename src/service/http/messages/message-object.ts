/** What `/messages` answers with, and the events that build it up. @module */
import type { GenerationUsage } from '../../answer/generation-event.js';

/** Why the message ended. */
export type StopReason = 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use';

interface TextBlock {
  type: 'text';
  text: string;
}
interface ThinkingBlock {
  type: 'thinking';
  thinking: string;
  /** Opaque to the client; nothing verifies it when it comes back. */
  signature: string;
}
interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
  caller: { type: 'direct' };
}
export type ContentBlock = TextBlock | ThinkingBlock | ToolUseBlock;

/** Token counts; all input together is `input_tokens` plus the two cache counts. */
export interface MessageUsage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  /** Reasoning included. */
  output_tokens: number;
  /** Absent while nothing is generated. */
  output_tokens_details?: { thinking_tokens: number };
}

/**
 * Fields that the official types know and this service does not have are absent, not null: released clients refuse a
 * null where the hosted service sends none.
 */
export interface MessageObject {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: ContentBlock[];
  stop_reason: StopReason | null;
  /** The stop sequence that fired. */
  stop_sequence: string | null;
  usage: MessageUsage;
}

/** Fields of a finished message that the start did not know. */
export interface MessageEnd {
  stop_reason: StopReason;
  stop_sequence: string | null;
}

export type BlockDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'input_json_delta'; partial_json: string };

/** In this order: start, ping, per block start, deltas and stop, then delta and stop of the message. */
export type MessageStreamEvent =
  | { type: 'message_start'; message: MessageObject }
  | { type: 'ping' }
  | { type: 'content_block_start'; index: number; content_block: ContentBlock }
  | { type: 'content_block_delta'; index: number; delta: BlockDelta }
  | { type: 'content_block_stop'; index: number }
  | { type: 'message_delta'; delta: MessageEnd; usage: MessageUsage }
  | { type: 'message_stop' };

/** The usage of a message that has just begun: the prompt is read, nothing is generated. */
export function usageAtStart(promptTokens: number, cachedTokens: number): MessageUsage {
  return {
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: 0,
  };
}

/** The usage of a finished message. */
export function usageAtEnd(usage: GenerationUsage, showCache: boolean): MessageUsage {
  return {
    ...usageAtStart(usage.promptTokens, showCache ? usage.cachedTokens : 0),
    output_tokens: usage.completionTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  };
}
