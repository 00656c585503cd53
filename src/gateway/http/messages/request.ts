/** The bodies of `POST /messages` and of `POST /messages/count_tokens`, and the canonical request that they become. @module */
import * as v from 'valibot';
import { object, objectOf } from '../fields/json-object.js';
import { messageSchema, systemSchema, toMessages } from './content.js';
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import {
  type GenerationRequest,
  type OutputFormat,
  type ParamNames,
  plainGenerationRequest,
  type Reasoning,
} from '../../../core/request/generation-request.js';
import type { Tool, ToolChoice } from '../../../core/request/tool.js';
import { defineTools, requireTool, requireTools } from '../fields/tools.js';
import { toEffort, toSampling } from '../fields/sampling.js';

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

type CountTokensRequest = v.InferOutput<typeof countTokensRequestSchema>;
type MessagesRequest = v.InferOutput<typeof messagesRequestSchema>;

const PARAM_NAMES: ParamNames = { messages: 'messages', response_format: 'output_config.format' };

/**
 * Everything that was asked for.
 * @param model catalog id
 * @throws InferenceError `invalid_media`, or `invalid_request` for a schema or tool choice that cannot be
 */
export async function toGenerationRequest(body: MessagesRequest, model: string): Promise<GenerationRequest> {
  return {
    ...(await toPromptRequest(body, model)),
    sampling: toSampling({ temperature: body.temperature, top_p: body.top_p, top_k: body.top_k }),
    stop: body.stop_sequences ?? [],
    maxTokens: body.max_tokens,
  };
}

/** The part of it that the prompt is made of. @throws as {@link toGenerationRequest} */
export async function toPromptRequest(body: CountTokensRequest, model: string): Promise<GenerationRequest> {
  const tools = defineTools(
    (body.tools ?? []).map(({ name, description, input_schema: parameters }, index) => ({
      name,
      description,
      parameters,
      param: `tools.${index}.input_schema`,
    })),
  );
  const messages = await toMessages(body.system, body.messages);
  return {
    ...plainGenerationRequest(model, { type: 'chat', messages }),
    tools,
    toolChoice: toToolChoice(body.tool_choice, tools),
    parallelToolCalls: !isParallelDisabled(body.tool_choice),
    output: toOutputFormat(body.output_config),
    paramNames: PARAM_NAMES,
    reasoning: toReasoning(body),
  };
}

/** True when the client wants to see thinking blocks. */
export function showsThinking({ thinking }: Pick<CountTokensRequest, 'thinking'>): boolean {
  return thinking != null && thinking.type !== 'disabled';
}

function toToolChoice(choice: CountTokensRequest['tool_choice'], tools: readonly Tool[]): ToolChoice {
  switch (choice?.type) {
    case 'any':
      return requireTools('required', tools);
    case 'tool':
      return requireTool(choice.name, tools, 'tool_choice.name');
    case 'none':
      return 'none';
    default:
      return 'auto';
  }
}

function isParallelDisabled(choice: CountTokensRequest['tool_choice']): boolean {
  return choice != null && choice.type !== 'none' && choice.disable_parallel_tool_use === true;
}

function toOutputFormat(config: CountTokensRequest['output_config']): OutputFormat {
  const schema = config?.format?.schema;
  if (!schema) return { type: 'text' };
  const param = 'output_config.format.schema';
  checkSchemaStructure(schema, param);
  return { type: 'json-schema', name: 'output', schema, strict: true, param };
}

function toReasoning(body: CountTokensRequest): Reasoning {
  const reasoning: Reasoning = { enabled: showsThinking(body) };
  const budget = body.thinking?.type === 'enabled' ? body.thinking.budget_tokens : undefined;
  if (budget != null) reasoning.budgetTokens = budget;
  const effort = body.output_config?.effort;
  if (effort != null) reasoning.effort = toEffort(effort);
  return reasoning;
}

/**
 * True when the body itself, a system block, a tool or a content block carries `cache_control`. Only then does the
 * usage tell cached tokens apart; prefixes are reused all the same.
 */
export function asksForCache(body: Record<string, unknown>): boolean {
  const blocks = itemsOf(body['messages']).flatMap((message) => itemsOf(field(message, 'content')));
  return [body, ...itemsOf(body['system']), ...itemsOf(body['tools']), ...blocks].some(
    (block) => field(block, 'cache_control') != null,
  );
}

function itemsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
