/** A conversation as the remote service wants it. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { encodeBase64 } from '../../../core/media/base64.js';
import { type AssistantMessage, type ContentPart, type Message, textOf } from '../../../core/request/message.js';

/**
 * Results of tools are text there, so a message of the user behind them shows their images.
 * @throws InferenceError `unsupported_content` for sound that nobody heard before
 */
export function toUpstreamMessages(messages: readonly Message[]): unknown[] {
  const calls = new SentCalls();
  return messages.flatMap((message, place) => {
    const sent = messageOf(message, calls);
    const isLastResult = message.role === 'tool' && messages[place + 1]?.role !== 'tool';
    const shown = isLastResult ? imagesOfResults(messages, place) : [];
    return shown.length > 0 ? [sent, { role: 'user', content: shown.map(partOf) }] : [sent];
  });
}

/** The images of the results that stand together and end at a place. */
function imagesOfResults(messages: readonly Message[], end: number): ContentPart[] {
  const begin = messages.findLastIndex((message, place) => place < end && message.role !== 'tool') + 1;
  return messages.slice(begin, end + 1).flatMap(({ content }) => content.filter(({ type }) => type === 'image'));
}

/** The ids of the conversation's tool calls, each with an id that every service takes. */
class SentCalls {
  readonly #calls = new Map<string, { id: string; name: string }>();
  #count = 0;

  add({ id, name }: { id: string; name: string }): string {
    // Mistral takes nothing but nine letters and digits.
    const sent = `call${String(this.#count++).padStart(5, '0')}`;
    this.#calls.set(id, { id: sent, name });
    return sent;
  }

  find(id: string): { id: string; name?: string } {
    return this.#calls.get(id) ?? { id };
  }
}

function messageOf(message: Message, calls: SentCalls): unknown {
  switch (message.role) {
    case 'assistant':
      return assistantMessageOf(message, calls);
    case 'tool': {
      const { id, name } = calls.find(message.toolCallId);
      // Gemini wants the function's name again.
      return { role: 'tool', tool_call_id: id, ...(name && { name }), content: textOf(message.content) };
    }
    case 'system':
    case 'user':
      return { role: message.role, content: contentOf(message.content) };
  }
}

/** Earlier thinking stays here: services differ in its name, and some refuse it. */
function assistantMessageOf({ content, toolCalls }: AssistantMessage, calls: SentCalls): unknown {
  const text = textOf(content);
  if (toolCalls.length === 0) return { role: 'assistant', content: text };
  const sent = toolCalls.map((call) => ({
    id: calls.add(call),
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  return { role: 'assistant', content: text === '' ? null : text, tool_calls: sent };
}

/** A string where there is nothing but text, because not every service takes parts. */
function contentOf(content: readonly ContentPart[]): unknown {
  return content.every((part) => part.type === 'text') ? textOf(content) : content.map(partOf);
}

function partOf(part: ContentPart): unknown {
  switch (part.type) {
    case 'text':
      return part;
    case 'image': {
      const url = `data:${part.mediaType};base64,${encodeBase64(part.bytes)}`;
      return { type: 'image_url', image_url: { url, ...(part.detail && { detail: part.detail }) } };
    }
    case 'audio':
      throw new InferenceError('unsupported_content', 'Upstream models take no audio.', { param: 'messages' });
  }
}
