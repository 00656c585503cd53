/** Messages of a chat completion request. Additional properties are accepted and dropped. @module */
import * as v from 'valibot';

const textPart = v.object({ type: v.literal('text'), text: v.string() });
const imagePart = v.object({ type: v.literal('image_url'), image_url: v.object({ url: v.string() }) });
const audioPart = v.object({ type: v.literal('audio_content'), audio_content: v.object({ content: v.string() }) });
const inputAudioPart = v.object({
  type: v.literal('input_audio'),
  input_audio: v.object({ data: v.string(), format: v.optional(v.string()) }),
});

const textParts = v.array(v.variant('type', [textPart]));
const textContent = v.union([v.string(), textParts]);
const userContent = v.union([v.string(), v.array(v.variant('type', [textPart, imagePart, audioPart, inputAudioPart]))]);

const toolCall = v.object({
  id: v.string(),
  type: v.literal('function'),
  function: v.object({ name: v.string(), arguments: v.string() }),
});

const systemMessage = v.object({ role: v.literal('system'), content: v.nullable(textContent) });
const userMessage = v.object({ role: v.literal('user'), content: v.nullable(userContent) });
const assistantMessage = v.object({
  role: v.literal('assistant'),
  content: v.nullable(textContent),
  reasoning: v.nullish(v.string()),
  channel: v.nullish(v.string()),
  tool_calls: v.nullish(v.array(toolCall)),
});
const toolMessage = v.object({ role: v.literal('tool'), content: textContent, tool_call_id: v.string() });

export const chatMessage = v.variant('role', [systemMessage, userMessage, assistantMessage, toolMessage]);

export type ChatMessageInput = v.InferOutput<typeof chatMessage>;
export type UserPartInput = Exclude<NonNullable<v.InferOutput<typeof userMessage>['content']>, string>[number];
