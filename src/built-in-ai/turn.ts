/** Turns of a conversation in the form of `/chat/completions`. @module */

export type ChatPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

export interface ChatCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | ChatPart[];
  tool_calls?: ChatCall[];
  tool_call_id?: string;
}

export interface ChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: object };
}

/** A message, and the tokens that it adds to a prompt. */
export interface Turn {
  message: ChatMessage;
  cost: number;
}

export function isText(part: ChatPart): part is Extract<ChatPart, { type: 'text' }> {
  return part.type === 'text';
}

export function sumCosts(turns: readonly Turn[]): number {
  return turns.reduce((sum, { cost }) => sum + cost, 0);
}
