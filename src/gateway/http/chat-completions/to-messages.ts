/** Messages of a chat completion request as canonical messages. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ContentPart, Message, ToolCall } from '../../../core/request/message.js';
import { decodeBase64 } from '../../../core/media/base64.js';
import { imagePartFromUrl } from '../fields/image-part.js';
import type { ChatMessageInput, PartInput } from './message-schemas.js';

/** @throws InferenceError `invalid_media` for images, `invalid_request` for audio that is not base64 */
export async function toMessages(messages: readonly ChatMessageInput[]): Promise<Message[]> {
  return Promise.all(messages.map((message, index) => toMessage(message, `messages.${index}`)));
}

async function toMessage(message: ChatMessageInput, path: string): Promise<Message> {
  const content = await toParts(message.content, `${path}.content`);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content };
    case 'user':
      return { role: 'user', content };
    case 'tool':
      return { role: 'tool', toolCallId: message.tool_call_id, content };
    case 'assistant': {
      const toolCalls = (message.tool_calls ?? []).map((call): ToolCall => ({ id: call.id, ...call.function }));
      return {
        role: 'assistant',
        content,
        toolCalls,
        ...(message.reasoning != null && { reasoning: message.reasoning }),
      };
    }
  }
}

async function toParts(
  content: string | readonly PartInput[] | null | undefined,
  path: string,
): Promise<ContentPart[]> {
  if (content == null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Promise.all(content.map((part, index) => toPart(part, `${path}.${index}`)));
}

async function toPart(part: PartInput, path: string): Promise<ContentPart> {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'text', text: part.refusal };
    case 'image_url':
      return imagePartFromUrl(part.image_url.url, `${path}.image_url.url`, part.image_url.detail);
    case 'audio_content':
      return audioPart(part.audio_content.content, undefined, `${path}.audio_content.content`);
    case 'input_audio':
      return audioPart(part.input_audio.data, part.input_audio.format, `${path}.input_audio.data`);
  }
}

function audioPart(base64: string, format: string | null | undefined, param: string): ContentPart {
  // Some clients send a data URL; its media type says no more than the bytes do.
  const bytes = decodeBase64(base64.replace(/^data:[^,]{0,100};base64,/, ''));
  if (!bytes || bytes.length === 0)
    throw new InferenceError('invalid_request', `\`${param}\` must be base64-encoded audio.`, { param });
  return { type: 'audio', mediaType: format == null ? undefined : `audio/${format}`, bytes };
}
