/** The body of `POST /responses`. @module */
import * as v from 'valibot';
import { object, objectOf } from '../fields/json-object.js';
import { EFFORTS, integerFrom, numberBetween, topLogprobs } from '../fields/sampling.js';
import { functionName, MAX_TOOLS } from '../fields/tools.js';
import { inputSchema } from './input-schema.js';

const jsonSchema = objectOf(v.unknown());

const functionTool = object({
  type: v.literal('function'),
  name: functionName,
  description: v.nullish(v.string()),
  parameters: v.nullish(jsonSchema),
  strict: v.nullish(v.boolean()),
});

/** One free-text argument; `custom-tool.ts` says what becomes of its grammar. */
const customTool = object({
  type: v.literal('custom'),
  name: functionName,
  description: v.nullish(v.string()),
  format: v.nullish(
    v.variant('type', [
      object({ type: v.literal('text') }),
      object({ type: v.literal('grammar'), syntax: v.picklist(['lark', 'regex']), definition: v.string() }),
    ]),
  ),
});

const namedTool = object({ type: v.picklist(['function', 'custom']), name: v.pipe(v.string(), v.minLength(1)) });

const toolChoice = v.union([
  v.picklist(['none', 'auto', 'required']),
  v.variant('type', [
    namedTool,
    object({
      type: v.literal('allowed_tools'),
      mode: v.picklist(['auto', 'required']),
      tools: v.array(namedTool),
    }),
  ]),
]);

const textFormat = v.variant('type', [
  object({ type: v.literal('text') }),
  object({ type: v.literal('json_object') }),
  object({
    type: v.literal('json_schema'),
    name: v.string(),
    description: v.nullish(v.string()),
    schema: jsonSchema,
    strict: v.nullish(v.boolean()),
  }),
]);

const reasoning = object({
  effort: v.nullish(v.picklist(['none', ...EFFORTS])),
  summary: v.nullish(v.picklist(['auto', 'concise', 'detailed'])),
});

/** A field that asks for something kept between requests. */
function stateful() {
  return v.nullish(v.never('is not supported: nothing is stored between requests'));
}

/** In the field order of the specification, which is the order in which problems are reported. */
export const responsesRequestSchema = object({
  model: v.string(),
  input: inputSchema,
  instructions: v.nullish(v.string()),
  stream: v.nullish(v.boolean()),
  max_output_tokens: v.nullish(integerFrom(1)),
  temperature: v.nullish(numberBetween(0, 2)),
  top_p: v.nullish(numberBetween(0, 1)),
  // Its lower bound is deliberately not checked here, unlike on every other endpoint.
  top_k: v.nullish(v.pipe(v.number(), v.integer())),
  tools: v.nullish(v.pipe(v.array(v.variant('type', [functionTool, customTool])), v.maxLength(MAX_TOOLS))),
  tool_choice: v.nullish(toolChoice),
  parallel_tool_calls: v.nullish(v.boolean()),
  text: v.nullish(object({ format: v.nullish(textFormat) })),
  reasoning: v.nullish(reasoning),
  user: v.nullish(v.string()),
  metadata: v.nullish(objectOf(v.string())),
  include: v.nullish(v.array(v.string())),
  top_logprobs: topLogprobs,
  previous_response_id: stateful(),
  conversation: stateful(),
  prompt: stateful(),
  background: v.nullish(v.literal(false)),
  store: v.nullish(v.literal(false)),
});

export type ResponsesRequest = v.InferOutput<typeof responsesRequestSchema>;
