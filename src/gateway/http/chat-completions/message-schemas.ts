/** Messages of a chat completion request. Additional properties are accepted and dropped. @module */
import * as v from 'valibot';
import { object } from '../fields/json-object.js';

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
const userContent = v.union([v.string(), v.array(v.variant('type', [textPart, imagePart, audioPart, inputAudioPart]))]);

const toolCall = object({
  id: v.string(),
  type: v.literal('function'),
  function: object({ name: v.string(), arguments: v.string() }),
});

const systemMessage = object({ role: v.picklist(['system', 'developer']), content: v.nullable(textContent) });
const userMessage = object({ role: v.literal('user'), content: v.nullable(userContent) });
const assistantMessage = v.pipe(
  object({
    role: v.literal('assistant'),
    content: v.nullish(assistantContent),
    reasoning: v.nullish(v.string()),
    channel: v.nullish(v.string()),
    tool_calls: v.nullish(v.array(toolCall)),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    // Clients that drop nulls send calls alone.
    if (!dataset.typed || dataset.value.content !== undefined || dataset.value.tool_calls != null) return;
    const path = { type: 'object', origin: 'value', input: dataset.value, key: 'content', value: undefined } as const;
    addIssue({ message: 'is required', input: undefined, path: [path] });
  }),
);
const toolMessage = object({ role: v.literal('tool'), content: textContent, tool_call_id: v.string() });

export const chatMessage = v.variant('role', [systemMessage, userMessage, assistantMessage, toolMessage]);

export type ChatMessageInput = v.InferOutput<typeof chatMessage>;
export type PartInput =
  | Exclude<v.InferOutput<typeof userContent>, string>[number]
  | Exclude<v.InferOutput<typeof assistantContent>, string>[number];
