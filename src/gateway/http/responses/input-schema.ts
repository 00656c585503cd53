/** The `input` of a response: a string, or items in order. @module */
import * as v from 'valibot';
import { object } from '../fields/json-object.js';

const inputPart = v.variant('type', [
  object({ type: v.literal('input_text'), text: v.string() }),
  object({ type: v.literal('output_text'), text: v.string() }),
  object({ type: v.literal('text'), text: v.string() }),
  object({ type: v.literal('refusal'), refusal: v.string() }),
  object({ type: v.literal('input_image'), image_url: v.string(), detail: v.nullish(v.string()) }),
]);

const content = v.union([v.string(), v.array(inputPart)]);

const messageItem = object({
  // Clients leave the type out when they write a conversation by hand.
  type: v.nullish(v.literal('message')),
  role: v.picklist(['user', 'assistant', 'system', 'developer']),
  content,
});

const reasoningItem = object({
  type: v.literal('reasoning'),
  summary: v.nullish(v.array(object({ text: v.string() }))),
  content: v.nullish(v.array(object({ text: v.string() }))),
  encrypted_content: v.nullish(v.string()),
});

const functionCallItem = object({
  type: v.literal('function_call'),
  call_id: v.string(),
  name: v.string(),
  arguments: v.string(),
});

const functionCallOutputItem = object({
  type: v.literal('function_call_output'),
  call_id: v.string(),
  output: content,
});

const customToolCallItem = object({
  type: v.literal('custom_tool_call'),
  call_id: v.string(),
  name: v.string(),
  input: v.string(),
});

const customToolCallOutputItem = object({
  type: v.literal('custom_tool_call_output'),
  call_id: v.string(),
  output: content,
});

const itemReference = object({ type: v.literal('item_reference'), id: v.string() });

const inputItem = v.variant('type', [
  messageItem,
  reasoningItem,
  functionCallItem,
  functionCallOutputItem,
  customToolCallItem,
  customToolCallOutputItem,
  itemReference,
]);

/** See the module. */
export const inputSchema = v.union([v.string(), v.pipe(v.array(inputItem), v.minLength(1))]);

export type ResponseInput = v.InferOutput<typeof inputSchema>;
export type InputItem = v.InferOutput<typeof inputItem>;
/** An item that is itself there. */
export type SentItem = Exclude<InputItem, { type: 'item_reference' }>;
export type InputPart = v.InferOutput<typeof inputPart>;
export type InputContent = v.InferOutput<typeof content>;
