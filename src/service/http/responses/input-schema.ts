/** The schema of the `input` of a response: a string, or items in order. @module */
import * as v from 'valibot';
import type { Compatibility } from '../policy/compatibility.js';
import { fileFields } from '../fields/file-text.js';
import { foreignObject, isForeign } from '../fields/held-text.js';
import { object, objectOf } from '../fields/json-object.js';
import { decodeOpaqueText } from './opaque-text.js';
import { toolsSchema } from './tools.js';

const textParts = [
  object({ type: v.literal('input_text'), text: v.string() }),
  object({ type: v.literal('output_text'), text: v.string() }),
  object({ type: v.literal('text'), text: v.string() }),
  object({ type: v.literal('refusal'), refusal: v.string() }),
  object({ type: v.literal('input_image'), image_url: v.string(), detail: v.nullish(v.string()) }),
] as const;

const part = v.variant('type', [...textParts, object({ type: v.literal('input_file'), ...fileFields })]);
const content = v.union([v.string(), v.array(part)]);

const reasoningItem = object({
  type: v.literal('reasoning'),
  summary: v.nullish(v.array(object({ text: v.string() }))),
  content: v.nullish(v.array(object({ text: v.string() }))),
  encrypted_content: v.nullish(v.string()),
});

const functionCall = { type: v.literal('function_call'), call_id: v.string(), name: v.string(), arguments: v.string() };
const customCall = { type: v.literal('custom_tool_call'), call_id: v.string(), name: v.string(), input: v.string() };
const namespace = v.nullish(v.string());

const CALLS = {
  refused: [object(functionCall), object(customCall)],
  known: [object({ ...functionCall, namespace }), object({ ...customCall, namespace })],
} as const;

/** What a search here has found earlier. */
const fileSearchCall = object({
  type: v.literal('file_search_call'),
  queries: v.nullish(v.array(v.string())),
  results: v.nullish(v.array(object({ filename: v.nullish(v.string()), text: v.nullish(v.string()) }))),
});

const itemReference = object({ type: v.literal('item_reference'), id: v.string() });

/** A summary that stands for what was said before. */
const COMPACTIONS = {
  refused: object({
    type: v.literal('compaction'),
    encrypted_content: v.pipe(
      v.string(),
      v.check((text) => decodeOpaqueText(text) !== undefined, 'must come from this service'),
    ),
  }),
  read: object({ type: v.literal('compaction'), encrypted_content: v.string() }),
};

const anyObject = objectOf(v.unknown());
const shellOutput = object({
  stdout: v.nullish(v.string()),
  stderr: v.nullish(v.string()),
  outcome: v.nullish(object({ type: v.string(), exit_code: v.nullish(v.number()) })),
});

/** Calls of tools with a published schema, and what came of them. Some name the call by their own id. */
function publishedItems(compatibility: Compatibility) {
  const ids = { id: v.nullish(v.string()), call_id: v.nullish(v.string()) };
  return [
    object({ type: v.literal('apply_patch_call'), call_id: v.string(), operation: anyObject }),
    object({ type: v.literal('shell_call'), call_id: v.string(), action: anyObject }),
    object({ type: v.literal('local_shell_call'), ...ids, action: anyObject }),
    object({ type: v.literal('tool_search_call'), ...ids, arguments: v.unknown() }),
    object({
      type: v.literal('apply_patch_call_output'),
      call_id: v.string(),
      status: v.nullish(v.string()),
      output: v.nullish(v.string()),
    }),
    object({
      type: v.literal('shell_call_output'),
      call_id: v.string(),
      output: v.union([v.string(), v.array(shellOutput)]),
    }),
    object({ type: v.literal('local_shell_call_output'), ...ids, output: v.string() }),
    object({ type: v.literal('tool_search_output'), ...ids, tools: toolsSchema(compatibility) }),
    object({ type: v.literal('additional_tools'), tools: toolsSchema(compatibility) }),
  ] as const;
}

function ownItems({ otherTools, foreignItems }: Compatibility) {
  return [
    object({
      // Clients leave the type out when they write a conversation by hand.
      type: v.nullish(v.literal('message')),
      role: v.picklist(['user', 'assistant', 'system', 'developer']),
      content,
    }),
    reasoningItem,
    ...CALLS[otherTools],
    object({ type: v.literal('function_call_output'), call_id: v.string(), output: content }),
    object({ type: v.literal('custom_tool_call_output'), call_id: v.string(), output: content }),
    COMPACTIONS[foreignItems],
    fileSearchCall,
    itemReference,
  ] as const;
}

/** The type of everything that is not another service's. */
const KNOWN: ReadonlySet<string> = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'compaction',
  'file_search_call',
  'item_reference',
  'apply_patch_call',
  'apply_patch_call_output',
  'shell_call',
  'shell_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'tool_search_call',
  'tool_search_output',
  'additional_tools',
]);

/** One item. */
export function inputItem(compatibility: Compatibility) {
  const own = v.variant('type', ownItems(compatibility));
  const known = v.variant('type', [...ownItems(compatibility), ...publishedItems(compatibility)]);
  const all = v.lazy((item) => (isForeign(item, KNOWN) ? foreignObject : known));
  return { refused: own, read: all }[compatibility.foreignItems];
}

/** See the module. */
export function inputSchema(compatibility: Compatibility) {
  return v.union([v.string(), v.pipe(v.array(inputItem(compatibility)), v.minLength(1))]);
}

export type ResponseInput = v.InferOutput<ReturnType<typeof inputSchema>>;
type InputItem = v.InferOutput<ReturnType<typeof inputItem>>;
/** An item that is itself there. */
export type SentItem = Exclude<InputItem, { type: 'item_reference' }>;
/** A part of a message or of what a tool answered. */
export type InputPart = v.InferOutput<typeof part>;
/** What a message or a tool says. */
export type InputContent = v.InferOutput<typeof content>;
