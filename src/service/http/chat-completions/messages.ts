/** Messages of a chat completion request: their schemas, and their canonical form. Additional properties are accepted and dropped. @module */
import * as v from 'valibot';
import type { Compatibility } from '../policy/compatibility.js';
import { customArguments } from '../fields/custom-tool.js';
import { fileFields } from '../fields/file-text.js';
import { object } from '../fields/json-object.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ContentPart, Message, ToolCall } from '../../../core/request/message.js';
import { decodeBase64 } from '../../../core/media/base64.js';
import type { RequestImages } from '../fields/request-images.js';
import { findLastCall, legacyCall, legacyCallId } from './legacy-functions.js';
import { refuseDeepJson } from '../validation/json-bounds.js';

const textPart = object({ type: v.literal('text'), text: v.string() });
const imagePart = object({
  type: v.literal('image_url'),
  image_url: object({ url: v.string(), detail: v.nullish(v.string()) }),
});
const audioPart = object({ type: v.literal('audio_content'), audio_content: object({ content: v.string() }) });
const inputAudioPart = object({
  type: v.literal('input_audio'),
  input_audio: object({ data: v.string(), format: v.nullish(v.string()) }),
});

/** What hosted models write when they decline; in a history it is what the assistant said. */
const refusalPart = object({ type: v.literal('refusal'), refusal: v.string() });

const textContent = v.union([v.string(), v.array(v.variant('type', [textPart]))]);
const assistantContent = v.union([v.string(), v.array(v.variant('type', [textPart, refusalPart]))]);
const filePart = object({ type: v.literal('file'), file: object(fileFields) });
const userParts = [textPart, imagePart, audioPart, inputAudioPart, filePart] as const;
const userContent = v.union([v.string(), v.array(v.variant('type', userParts))]);

const functionCall = object({
  id: v.string(),
  type: v.literal('function'),
  function: object({ name: v.string(), arguments: v.string() }),
});
const customCall = object({
  id: v.string(),
  type: v.literal('custom'),
  custom: object({ name: v.string(), input: v.string() }),
});
const TOOL_CALLS = { refused: functionCall, known: v.variant('type', [functionCall, customCall]) };

/** Who speaks, for templates that tell speakers apart. */
const name = v.nullish(v.string());

const systemMessage = object({ role: v.picklist(['system', 'developer']), content: v.nullable(textContent), name });
const functionMessage = object({ role: v.literal('function'), name: v.string(), content: v.nullable(textContent) });
const toolMessage = object({ role: v.literal('tool'), content: textContent, tool_call_id: v.string() });

/** See {@link Compatibility} for what it changes. */
export function chatMessage({ otherTools }: Compatibility) {
  const userMessage = object({ role: v.literal('user'), content: v.nullable(userContent), name });
  const assistantMessage = v.pipe(
    object({
      role: v.literal('assistant'),
      content: v.nullish(assistantContent),
      refusal: v.nullish(v.string()),
      name,
      reasoning: v.nullish(v.string()),
      channel: v.nullish(v.string()),
      tool_calls: v.nullish(v.array(TOOL_CALLS[otherTools])),
      function_call: legacyCall,
    }),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed || dataset.value.content !== undefined) return;
      // Clients that drop nulls send calls, or what a model declined with, alone.
      const { tool_calls: calls, function_call: call, refusal } = dataset.value;
      if (calls != null || call != null || refusal != null) return;
      const path = { type: 'object', origin: 'value', input: dataset.value, key: 'content', value: undefined } as const;
      addIssue({ message: 'is required', input: undefined, path: [path] });
    }),
  );
  return v.variant('role', [systemMessage, userMessage, assistantMessage, toolMessage, functionMessage]);
}

type ChatMessageInput = v.InferOutput<ReturnType<typeof chatMessage>>;
type PartInput =
  | Exclude<v.InferOutput<typeof userContent>, string>[number]
  | Exclude<v.InferOutput<typeof assistantContent>, string>[number];

/**
 * @param images takes the images
 * @throws InferenceError `invalid_media` for images, `invalid_request` for audio that is not base64
 */
export function toMessages(messages: readonly ChatMessageInput[], images: RequestImages): Message[] {
  const read: Message[] = [];
  for (const [index, message] of messages.entries()) read.push(toMessage(message, index, { images, before: read }));
  return read;
}

/** What reading a message needs. */
interface MessageContext {
  images: RequestImages;
  /** The turns before it. */
  before: readonly Message[];
}

function toMessage(message: ChatMessageInput, index: number, { images, before }: MessageContext): Message {
  const path = `messages.${index}`;
  const content = toParts(message.content, `${path}.content`, images);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content, ...named(message) };
    case 'user':
      return { role: 'user', content, ...named(message) };
    case 'tool':
      return { role: 'tool', toolCallId: message.tool_call_id, content };
    case 'function':
      return { role: 'tool', toolCallId: findLastCall(message.name, before, `${path}.name`), content };
    case 'assistant':
      if (message.refusal) content.push({ type: 'text', text: message.refusal });
      return {
        role: 'assistant',
        content,
        toolCalls: toCalls(message, index),
        ...(message.reasoning != null && { reasoning: message.reasoning }),
        ...named(message),
      };
  }
}

function named({ name }: { name?: string | null | undefined }): { name?: string } {
  return name == null || name === '' ? {} : { name };
}

function toCalls(message: Extract<ChatMessageInput, { role: 'assistant' }>, index: number): ToolCall[] {
  const { tool_calls: sent, function_call: legacy } = message;
  const calls = (sent ?? []).map((call, callIndex): ToolCall => {
    if (call.type === 'custom') {
      return { id: call.id, name: call.custom.name, arguments: customArguments(call.custom.input) };
    }
    refuseDeepJson(call.function.arguments, `messages.${index}.tool_calls.${callIndex}.function.arguments`);
    return { id: call.id, ...call.function };
  });
  if (legacy == null) return calls;
  refuseDeepJson(legacy.arguments, `messages.${index}.function_call.arguments`);
  return [...calls, { id: legacyCallId(index), ...legacy }];
}

function toParts(
  content: string | readonly PartInput[] | null | undefined,
  path: string,
  images: RequestImages,
): ContentPart[] {
  if (content == null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part, index) => toPart(part, `${path}.${index}`, images));
}

function toPart(part: PartInput, path: string, images: RequestImages): ContentPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'text', text: part.refusal };
    case 'image_url':
      return images.fromUrl(part.image_url.url, `${path}.image_url.url`, part.image_url.detail);
    case 'audio_content':
      return toAudioPart(part.audio_content.content, undefined, `${path}.audio_content.content`);
    case 'file':
      return images.files.take(part.file, `${path}.file`);
    case 'input_audio':
      return toAudioPart(part.input_audio.data, part.input_audio.format, `${path}.input_audio.data`);
  }
}

function toAudioPart(base64: string, format: string | null | undefined, param: string): ContentPart {
  // Some clients send a data URL; its media type says no more than the bytes do.
  const bytes = decodeBase64(base64.replace(/^data:[^,]{0,100};base64,/, ''));
  if (!bytes || bytes.length === 0)
    throw new InferenceError('invalid_request', `\`${param}\` must be base64-encoded audio.`, { param });
  return { type: 'audio', mediaType: format == null ? undefined : `audio/${format}`, bytes };
}
