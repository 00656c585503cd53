/** The schema of the `input` of decisions: a string, or the items of a conversation. @module */
import * as v from 'valibot';
import { object, objectOf } from '../fields/json-object.js';

const inputText = object({ type: v.literal('input_text'), text: v.string() });

/** What a user or a question consists of. */
export const PART = v.variant('type', [
  inputText,
  object({ type: v.literal('input_image'), image_url: v.string(), detail: v.nullish(v.string()) }),
  object({
    type: v.literal('input_json'),
    data: v.union([objectOf(v.unknown()), v.pipe(v.array(objectOf(v.unknown())), v.minLength(1))]),
  }),
]);

const ASSISTANT_PART = v.variant('type', [
  object({ type: v.literal('output_text'), text: v.string() }),
  object({ type: v.literal('refusal'), refusal: v.string() }),
]);

/** Clients leave the type out when they write a conversation by hand. */
const type = v.nullish(v.literal('message'));
const content = v.union([v.string(), v.array(PART)]);

const MESSAGE = v.variant('role', [
  object({ type, role: v.literal('user'), content }),
  object({ type, role: v.picklist(['system', 'developer']), content: v.union([v.string(), v.array(inputText)]) }),
  object({ type, role: v.literal('assistant'), content: v.union([v.string(), v.array(ASSISTANT_PART)]) }),
]);

const call = { call_id: v.string(), name: v.string() };
const ITEM = v.variant('type', [
  MESSAGE,
  object({ type: v.literal('function_call'), ...call, arguments: v.string() }),
  object({ type: v.literal('function_call_output'), call_id: v.string(), output: content }),
  object({ type: v.literal('custom_tool_call'), ...call, input: v.string() }),
  object({ type: v.literal('custom_tool_call_output'), call_id: v.string(), output: content }),
]);

/** See the module. */
export const INPUT = v.union([v.pipe(v.string(), v.minLength(1)), v.pipe(v.array(ITEM), v.minLength(1))]);

export type DecisionInput = v.InferOutput<typeof INPUT>;
export type InputItem = v.InferOutput<typeof ITEM>;
export type InputPart = v.InferOutput<typeof PART> | v.InferOutput<typeof ASSISTANT_PART>;
