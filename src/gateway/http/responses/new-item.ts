/** Output items that have just begun. @module */
import type { CustomToolCallItem, FunctionCallItem, MessageItem, ReasoningItem } from './response-object.js';

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
