/** The body of `POST /messages` and of `POST /messages/count_tokens`. @module */
import * as v from 'valibot';
import { object, objectOf } from '../fields/json-object.js';
import { messageSchema, systemSchema } from './content-schema.js';

const tool = object({
  // Clients send `custom` or nothing; everything else is a tool of the vendor's own servers.
  type: v.nullish(v.literal('custom')),
  name: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,128}$/, 'must match [A-Za-z0-9_-]{1,128}')),
  description: v.nullish(v.string()),
  input_schema: objectOf(v.unknown()),
});

const disableParallel = { disable_parallel_tool_use: v.nullish(v.boolean()) };

const toolChoice = v.variant('type', [
  object({ type: v.literal('auto'), ...disableParallel }),
  object({ type: v.literal('any'), ...disableParallel }),
  object({ type: v.literal('tool'), name: v.pipe(v.string(), v.minLength(1)), ...disableParallel }),
  object({ type: v.literal('none') }),
]);

const thinking = v.variant('type', [
  object({ type: v.literal('enabled'), budget_tokens: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1))) }),
  object({ type: v.literal('adaptive') }),
  object({ type: v.literal('between_tools') }),
  object({ type: v.literal('disabled') }),
]);

const outputConfig = object({
  effort: v.nullish(v.picklist(['low', 'medium', 'high', 'xhigh', 'max'])),
  format: v.nullish(object({ type: v.literal('json_schema'), schema: objectOf(v.unknown()) })),
});

const conversation = {
  model: v.string(),
  messages: v.pipe(v.array(messageSchema), v.minLength(1)),
};

const system = v.nullish(systemSchema);

const promptOptions = {
  tools: v.nullish(v.pipe(v.array(tool), v.maxLength(128))),
  tool_choice: v.nullish(toolChoice),
  thinking: v.nullish(thinking),
  output_config: v.nullish(outputConfig),
};

/** In the field order of the specification, which is the order in which problems are reported. */
export const messagesRequestSchema = object({
  ...conversation,
  max_tokens: v.pipe(v.number(), v.integer(), v.minValue(1)),
  system,
  temperature: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(2))),
  top_p: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  top_k: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1))),
  stop_sequences: v.nullish(v.array(v.pipe(v.string(), v.minLength(1)))),
  stream: v.nullish(v.boolean()),
  ...promptOptions,
});

/** What of a request decides the number of its input tokens. */
export const countTokensRequestSchema = object({ ...conversation, system, ...promptOptions });

export type CountTokensRequest = v.InferOutput<typeof countTokensRequestSchema>;
export type MessagesRequest = v.InferOutput<typeof messagesRequestSchema>;
