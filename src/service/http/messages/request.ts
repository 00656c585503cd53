/** The bodies of `POST /messages` and of `POST /messages/count_tokens`, and the canonical request that they become. @module */
import { readField } from '../validation/read-field.js';
import type { RequestImages } from '../fields/request-images.js';
import * as v from 'valibot';
import type { Compatibility } from '../policy/compatibility.js';
import { object, objectOf } from '../fields/json-object.js';
import { messageSchema, referencedTools, systemSchema, toMessages } from './content.js';
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import {
  type GenerationRequest,
  type OutputFormat,
  type ParamNames,
  plainGenerationRequest,
  type Reasoning,
} from '../../../core/request/generation-request.js';
import type { Message } from '../../../core/request/message.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { integerFrom, numberBetween, toEffort, toSampling } from '../fields/sampling.js';
import type { ThinkingDisplay } from './to-stream.js';
import { schemaCheck } from '../fields/tools.js';
import { isParallelDisabled, toolChoice, toolsSchema, toToolChoice, toTools } from './tools.js';

const display = v.nullish(v.picklist(['summarized', 'omitted']));

const thinking = v.variant('type', [
  object({
    type: v.literal('enabled'),
    budget_tokens: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1))),
    display,
  }),
  object({ type: v.literal('adaptive'), display }),
  object({ type: v.literal('between_tools') }),
  object({ type: v.literal('disabled') }),
]);

const outputConfig = object({
  effort: v.nullish(v.picklist(['low', 'medium', 'high', 'xhigh', 'max'])),
  format: v.nullish(object({ type: v.literal('json_schema'), schema: objectOf(v.unknown()) })),
});

const system = v.nullish(systemSchema);

function conversation(compatibility: Compatibility) {
  return { model: v.string(), messages: v.pipe(v.array(messageSchema(compatibility)), v.minLength(1)) };
}

/** State and summaries of the hosted service: a conversation that leans on them would be another one here. */
const storedRemotely = v.nullish(
  v.never('is not supported, because conversations are not stored for this endpoint. Send all `messages`'),
);

function promptOptions(compatibility: Compatibility) {
  return {
    tools: toolsSchema(compatibility),
    tool_choice: toolChoice,
    thinking: v.nullish(thinking),
    output_config: v.nullish(outputConfig),
    thread: storedRemotely,
    compaction: storedRemotely,
  };
}

/** In the field order of the specification, which is the order in which problems are reported. */
export function messagesRequestSchema(compatibility: Compatibility) {
  return object({
    ...conversation(compatibility),
    max_tokens: integerFrom(1),
    system,
    temperature: v.nullish(numberBetween(0, 2)),
    top_p: v.nullish(numberBetween(0, 1)),
    top_k: v.nullish(integerFrom(1)),
    stop_sequences: v.nullish(v.array(v.pipe(v.string(), v.minLength(1)))),
    stream: v.nullish(v.boolean()),
    ...promptOptions(compatibility),
  });
}

/** What of a request decides the number of its input tokens. */
export function countTokensRequestSchema(compatibility: Compatibility) {
  return object({ ...conversation(compatibility), system, ...promptOptions(compatibility) });
}

export type CountTokensRequest = v.InferOutput<ReturnType<typeof countTokensRequestSchema>>;
type MessagesRequest = v.InferOutput<ReturnType<typeof messagesRequestSchema>>;

const PARAM_NAMES: ParamNames = { messages: 'messages', response_format: 'output_config.format' };

/**
 * Everything that was asked for.
 * @param model catalog id
 * @param images takes the images
 * @throws InferenceError `invalid_media`, or `invalid_request` for a schema or tool choice that cannot be
 */
export function toGenerationRequest(
  body: MessagesRequest,
  model: string,
  images: RequestImages,
  compatibility: Compatibility,
): GenerationRequest {
  return {
    ...toPromptRequest(body, model, images, compatibility),
    sampling: toSampling({ temperature: body.temperature, top_p: body.top_p, top_k: body.top_k }, compatibility),
    stop: body.stop_sequences ?? [],
    maxTokens: body.max_tokens,
  };
}

/** The part of it that the prompt is made of. @throws as {@link toGenerationRequest} */
export function toPromptRequest(
  body: CountTokensRequest,
  model: string,
  images: RequestImages,
  compatibility: Compatibility,
): GenerationRequest {
  const check = schemaCheck(compatibility, body.tool_choice?.type !== 'none');
  const tools = toTools(body.tools, referencedTools(body.messages), check);
  const messages = toMessages(body.system, body.messages, images);
  if (messages.every(({ role }) => role === 'system')) {
    const message = '`messages` must contain a message of the user or the assistant.';
    throw new InferenceError('invalid_request', message, { param: 'messages' });
  }
  return {
    ...plainGenerationRequest(model, { type: 'chat', messages }),
    tools,
    toolChoice: toToolChoice(body.tool_choice, tools, body.tools),
    parallelToolCalls: !isParallelDisabled(body.tool_choice),
    output: toOutputFormat(body.output_config),
    paramNames: PARAM_NAMES,
    reasoning: toReasoning(body),
    ...(isContinued(body, messages) && { continued: true }),
  };
}

/** @throws InferenceError `invalid_request` where thoughts would stand behind the beginning of the answer */
function isContinued(body: CountTokensRequest, messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || last.toolCalls.length > 0 || last.content.length === 0) return false;
  if (!showsThinking(body)) return true;
  const message = '`messages` ends with an assistant turn, which cannot be continued when `thinking` is enabled.';
  throw new InferenceError('invalid_request', message, { param: 'messages' });
}

/** Whether thinking is shown: blocks with their text, blocks without it, or none. */
export function thinkingDisplay(body: Pick<CountTokensRequest, 'thinking'>): ThinkingDisplay {
  if (!showsThinking(body)) return 'none';
  const isOmitted = body.thinking && 'display' in body.thinking && body.thinking.display === 'omitted';
  return isOmitted ? 'empty' : 'full';
}

/** True when the client wants thinking blocks. */
function showsThinking({ thinking }: Pick<CountTokensRequest, 'thinking'>): boolean {
  return thinking != null && thinking.type !== 'disabled';
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
  const blocks = itemsOf(body['messages']).flatMap((message) => itemsOf(readField(message, 'content')));
  return [body, ...itemsOf(body['system']), ...itemsOf(body['tools']), ...blocks].some(
    (block) => readField(block, 'cache_control') != null,
  );
}

function itemsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
