/** Messages of a conversation in the canonical request. @module */

/** A piece of user-visible content. Bytes are the decoded file, not yet pixels or samples. */
export type ContentPart =
  | { type: 'text'; text: string }
  | ImagePart
  | { type: 'audio'; mediaType: string | undefined; bytes: Uint8Array };

/** A whole image file. */
export interface ImagePart {
  type: 'image';
  mediaType: string;
  bytes: Uint8Array;
  /** How closely it is to be looked at; absent: as the model does by itself. */
  detail?: 'low' | 'high';
}

/** A call that the assistant made earlier. `arguments` is the JSON text, as the model wrote it. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** Turns of people and models may say who speaks. */
interface Named {
  name?: string;
}

interface SystemMessage extends Named {
  role: 'system';
  content: ContentPart[];
}
export interface UserMessage extends Named {
  role: 'user';
  content: ContentPart[];
}
export interface AssistantMessage extends Named {
  role: 'assistant';
  content: ContentPart[];
  reasoning?: string;
  toolCalls: ToolCall[];
}
export interface ToolMessage {
  role: 'tool';
  toolCallId: string;
  content: ContentPart[];
}
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** The text of a message's content, parts joined without a separator. */
export function textOf(content: readonly ContentPart[]): string {
  let text = '';
  for (const part of content) if (part.type === 'text') text += part.text;
  return text;
}
