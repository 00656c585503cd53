/** Messages of a chat completion request. Additional properties are accepted and dropped. @module */
import * as v from 'valibot';
import { object } from '../schemas/plain-object.js';

const textPart = object({ type: v.literal('text'), text: v.string() });
const imagePart = object({ type: v.literal('image_url'), image_url: object({ url: v.string() }) });
const audioPart = object({ type: v.literal('audio_content'), audio_content: object({ content: v.string() }) });
const inputAudioPart = object({
  type: v.literal('input_audio'),
  input_audio: object({ data: v.string(), format: v.optional(v.string()) }),
});

const textParts = v.array(v.variant('type', [textPart]));
const textContent = v.union([v.string(), textParts]);
const userContent = v.union([v.string(), v.array(v.variant('type', [textPart, imagePart, audioPart, inputAudioPart]))]);

const toolCall = object({
  id: v.string(),
  type: v.literal('function'),
  function: object({ name: v.string(), arguments: v.string() }),
});

const systemMessage = object({ role: v.literal('system'), content: v.nullable(textContent) });
const userMessage = object({ role: v.literal('user'), content: v.nullable(userContent) });
const assistantMessage = object({
  role: v.literal('assistant'),
  content: v.nullable(textContent),
  reasoning: v.nullish(v.string()),
  channel: v.nullish(v.string()),
  tool_calls: v.nullish(v.array(toolCall)),
});
const toolMessage = object({ role: v.literal('tool'), content: textContent, tool_call_id: v.string() });

export const chatMessage = v.variant('role', [systemMessage, userMessage, assistantMessage, toolMessage]);

export type ChatMessageInput = v.InferOutput<typeof chatMessage>;
export type UserPartInput = Exclude<NonNullable<v.InferOutput<typeof userMessage>['content']>, string>[number];
