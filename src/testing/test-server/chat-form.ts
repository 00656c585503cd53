/** A request as functions of a test see it: in the form of chat completions, whatever its dialect. @module */
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { ContentPart, Message } from '../../core/request/message.js';
import type { Tool } from '../../core/request/tool.js';
import type { ReplyMessage, ReplyTool } from './test-server-types.js';

/** @param raw the text of a prompt that is not a conversation */
export function chatForm(
  { prompt, tools }: GenerationRequest,
  raw: string,
): { messages: ReplyMessage[]; tools: ReplyTool[] } {
  const messages =
    prompt.type === 'chat' ? prompt.messages.map(messageForm) : [{ role: 'user' as const, content: raw }];
  return { messages, tools: tools.map(toolForm) };
}

function messageForm(message: Message): ReplyMessage {
  const content = contentForm(message.content);
  if (message.role === 'tool') return { role: 'tool', content, tool_call_id: message.toolCallId };
  if (message.role !== 'assistant' || message.toolCalls.length === 0) return { role: message.role, content };
  const calls = message.toolCalls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: given },
  }));
  return { role: 'assistant', content, tool_calls: calls };
}

/** A text where there is nothing else. */
function contentForm(content: readonly ContentPart[]): ReplyMessage['content'] {
  if (content.every(({ type }) => type === 'text'))
    return content.map((part) => (part as { text: string }).text).join('');
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    const base64 = Buffer.from(part.bytes).toString('base64');
    if (part.type === 'image')
      return { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${base64}` } };
    return { type: 'input_audio', input_audio: { data: base64 } };
  });
}

function toolForm({ name, description, parameters }: Tool): ReplyTool {
  return { type: 'function', function: { name, ...(description !== undefined && { description }), parameters } };
}
