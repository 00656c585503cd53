/** The content of messages: blocks of text, images, tool use and its results, thinking. @module */
import * as v from 'valibot';
import { object, objectOf } from '../fields/json-object.js';

const textBlock = object({ type: v.literal('text'), text: v.string() });

const imageBlock = object({
  type: v.literal('image'),
  source: v.variant('type', [
    object({
      type: v.literal('base64'),
      media_type: v.picklist(['image/png', 'image/jpeg', 'image/webp', 'image/gif']),
      data: v.string(),
    }),
  ]),
});

const toolUseBlock = object({
  type: v.literal('tool_use'),
  id: v.string(),
  name: v.string(),
  input: objectOf(v.unknown()),
});

/** Only text: nothing here reads PDF files. */
const documentBlock = object({
  type: v.literal('document'),
  source: v.variant('type', [
    object({ type: v.literal('text'), data: v.string() }),
    object({ type: v.literal('content'), content: v.union([v.string(), v.array(v.variant('type', [textBlock]))]) }),
  ]),
  title: v.nullish(v.string()),
  context: v.nullish(v.string()),
});

const searchResultBlock = object({
  type: v.literal('search_result'),
  source: v.string(),
  title: v.string(),
  content: v.array(textBlock),
});

const toolReferenceBlock = object({ type: v.literal('tool_reference'), tool_name: v.string() });

const resultBlock = v.variant('type', [textBlock, imageBlock, documentBlock, searchResultBlock, toolReferenceBlock]);

const toolResultBlock = object({
  type: v.literal('tool_result'),
  tool_use_id: v.string(),
  content: v.nullish(v.union([v.string(), v.array(resultBlock)])),
  is_error: v.nullish(v.boolean()),
});

const thinkingBlock = object({ type: v.literal('thinking'), thinking: v.string() });

/** Thinking of another service, which nobody here can read. */
const redactedThinkingBlock = object({ type: v.literal('redacted_thinking') });

const userBlock = v.variant('type', [textBlock, imageBlock, documentBlock, searchResultBlock, toolResultBlock]);
const assistantBlock = v.variant('type', [textBlock, toolUseBlock, thinkingBlock, redactedThinkingBlock]);

/** One turn of the conversation. A block that belongs to the other role is refused, not dropped. */
export const messageSchema = v.variant('role', [
  object({ role: v.literal('user'), content: v.union([v.string(), v.array(userBlock)]) }),
  object({ role: v.literal('assistant'), content: v.union([v.string(), v.array(assistantBlock)]) }),
]);

/** A string, or text blocks. */
export const systemSchema = v.union([v.string(), v.array(textBlock)]);

export type MessageInput = v.InferOutput<typeof messageSchema>;
export type UserBlockInput = v.InferOutput<typeof userBlock>;
export type AssistantBlockInput = v.InferOutput<typeof assistantBlock>;
export type ToolResultInput = v.InferOutput<typeof toolResultBlock>;
export type ResultBlockInput = v.InferOutput<typeof resultBlock>;
export type SystemInput = v.InferOutput<typeof systemSchema>;
