/** The body of `POST /responses`, the canonical request that it becomes, and what of it the response repeats. @module */
import * as v from 'valibot';
import { warnOfSchema } from '../fields/schema-mistakes.js';
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import {
  type GenerationRequest,
  type OutputFormat,
  plainGenerationRequest,
  type Reasoning,
} from '../../../core/request/generation-request.js';
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import type { Compatibility } from '../policy/compatibility.js';
import { object, objectOf } from '../fields/json-object.js';
import { metadata } from '../fields/metadata.js';
import type { RequestImages } from '../fields/request-images.js';
import {
  actingPenalty,
  EFFORTS,
  integerFrom,
  numberBetween,
  toEffort,
  topLogprobs,
  toSampling,
} from '../fields/sampling.js';
import { schemaCheck } from '../fields/tools.js';
import { toEchoedChoice, toOffer, toolChoiceSchema } from './tool-choice.js';
import { inputSchema } from './input-schema.js';
import { conversationOf, STORAGE_FIELDS, refused } from './storage-fields.js';
import { type ConversationInput, itemParam, toMessages } from './input.js';
import type { EchoedFields } from './response-object.js';
import { toEchoedTool, type ToolInput, ToolSet, toolsSchema } from './tools.js';

const textFormat = v.variant('type', [
  object({ type: v.literal('text') }),
  object({ type: v.literal('json_object') }),
  object({
    type: v.literal('json_schema'),
    name: v.string(),
    description: v.nullish(v.string()),
    schema: objectOf(v.unknown()),
    strict: v.nullish(v.boolean()),
  }),
]);

const reasoning = object({
  effort: v.nullish(v.picklist(['none', ...EFFORTS])),
  summary: v.nullish(v.picklist(['auto', 'concise', 'detailed'])),
});

const penalties = { presence_penalty: actingPenalty, frequency_penalty: actingPenalty };
/** Where they do nothing, nothing about them is wrong. */
const PENALTIES = { ignored: {} as typeof penalties, acting: penalties };

/** In the field order of the specification, which is the order in which problems are reported. */
export function responsesRequestSchema(compatibility: Compatibility) {
  const { previous_response_id, conversation, background, store, truncation } =
    STORAGE_FIELDS[compatibility.responseStorage];
  return object({
    model: v.string(),
    input: inputSchema(compatibility),
    instructions: v.nullish(v.string()),
    stream: v.nullish(v.boolean()),
    max_output_tokens: v.nullish(integerFrom(1)),
    temperature: v.nullish(numberBetween(0, 2)),
    top_p: v.nullish(numberBetween(0, 1)),
    // Its lower bound is deliberately not checked here, unlike on every other endpoint.
    top_k: v.nullish(v.pipe(v.number(), v.integer())),
    ...PENALTIES[compatibility.penalties],
    tools: v.nullish(toolsSchema(compatibility)),
    tool_choice: toolChoiceSchema(compatibility),
    parallel_tool_calls: v.nullish(v.boolean()),
    text: v.nullish(object({ format: v.nullish(textFormat) })),
    reasoning: v.nullish(reasoning),
    user: v.nullish(v.string()),
    metadata,
    include: v.nullish(v.array(v.string())),
    top_logprobs: topLogprobs,
    previous_response_id,
    conversation,
    prompt: refused,
    background,
    store,
    truncation,
    // Not checked: they change nothing here, and a wrong one is returned as null.
    max_tool_calls: v.optional(v.unknown()),
    prompt_cache_key: v.optional(v.unknown()),
    safety_identifier: v.optional(v.unknown()),
  });
}

/** The same for a response that follows another, or is made in a conversation: it may say nothing new. */
export function followingRequestSchema(compatibility: Compatibility) {
  return object({ ...responsesRequestSchema(compatibility).entries, input: v.nullish(inputSchema(compatibility)) });
}

export type ResponsesRequest = v.InferOutput<ReturnType<typeof responsesRequestSchema>>;

/**
 * Runs the check of a body. When the first problem is a tool of a named type that is neither a function nor a custom tool,
 * the error has a code of its own.
 * @throws InferenceError `unsupported_tool_type`, or what `check` throws
 */
export function refuseBuiltInTools<T>(body: Record<string, unknown>, check: () => T): T {
  try {
    return check();
  } catch (thrown) {
    const index = isInferenceError(thrown) ? /^tools\.(\d+)\.type$/.exec(thrown.param ?? '')?.[1] : undefined;
    if (index === undefined || typeof typeOfTool(body, Number(index)) !== 'string') throw thrown;
    const param = `tools.${index}.type`;
    throw unsupportedTool(param);
  }
}

/** A tool that does not run here. */
export function unsupportedTool(param: string): InferenceError {
  const message = `\`${param}\` must be "function" or "custom": built-in tools are not supported.`;
  return new InferenceError('unsupported_tool_type', message, { param });
}

function typeOfTool({ tools }: Record<string, unknown>, index: number): unknown {
  const tool: unknown = Array.isArray(tools) ? tools[index] : undefined;
  return typeof tool === 'object' && tool !== null ? Reflect.get(tool, 'type') : undefined;
}

/** What else a body becomes a request with. */
interface GenerationParts {
  /** Catalog id. */
  model: string;
  /** Takes the images. */
  images: RequestImages;
  compatibility: Compatibility;
  /** Tools that search files here. */
  searching?: readonly ToolInput[];
  /** Texts of files that the model reads anyway. */
  seen?: readonly string[];
}

/**
 * Everything that was asked for, and the tools as the client knows them.
 * @param input without references
 * @throws InferenceError `invalid_media`, or `invalid_request` for a schema, tool choice or item that cannot be, and for no message
 */
export function toGenerationRequest(
  body: ResponsesRequest,
  input: ConversationInput,
  { model, images, compatibility, searching = [], seen }: GenerationParts,
): { request: GenerationRequest; tools: ToolSet } {
  const tools = new ToolSet(searching);
  tools.add(body.tools ?? [], 'tools');
  for (const [index, item] of typeof input.items === 'string' ? [] : input.items.entries()) {
    if (item.type === 'tool_search_output' || item.type === 'additional_tools')
      tools.add(item.tools, `${itemParam(index, input)}.tools`);
  }
  const defined = tools.define(schemaCheck(compatibility, body.tool_choice !== 'none'));
  const messages = toMessages(body.instructions, input, images, { tools, ...(seen && { seen: new Set(seen) }) });
  if (messages.length === 0) {
    const message = '`input` must have an item that the model reads, such as a message.';
    throw new InferenceError('invalid_request', message, { param: 'input' });
  }
  const request: GenerationRequest = {
    ...plainGenerationRequest(model, { type: 'chat', messages }),
    ...toOffer(body.tool_choice, defined, { set: tools, searches: searching.length > 0 }),
    parallelToolCalls: body.parallel_tool_calls ?? true,
    output: toOutputFormat(body.text?.format),
    paramNames: { messages: 'input', response_format: 'text.format' },
    sampling: toSampling(samplingOf(body), compatibility),
    reasoning: toReasoning(body.reasoning),
    ...(body.max_output_tokens != null && { maxTokens: body.max_output_tokens }),
    ...(wantsLogprobs(body) && { topLogprobs: body.top_logprobs ?? 0 }),
  };
  return { request, tools };
}

function samplingOf({ temperature, top_p, top_k, presence_penalty, frequency_penalty }: ResponsesRequest) {
  return { temperature, top_p, top_k, presence_penalty, frequency_penalty };
}

/**
 * What was asked for, as the response says it: defaults filled in. Without a temperature decoding is greedy, so 0.
 * @param store whether the response is stored
 */
export function toEchoedFields(body: ResponsesRequest, model: string, store: boolean): EchoedFields {
  return {
    model,
    instructions: body.instructions ?? null,
    frequency_penalty: body.frequency_penalty ?? 0,
    presence_penalty: body.presence_penalty ?? 0,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: Number.isSafeInteger(body.max_tool_calls) ? (body.max_tool_calls as number) : null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    prompt_cache_key: textOrNull(body.prompt_cache_key),
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    safety_identifier: textOrNull(body.safety_identifier),
    temperature: body.temperature ?? 0,
    text: { format: body.text?.format ?? { type: 'text' } },
    tool_choice: toEchoedChoice(body.tool_choice),
    tools: (body.tools ?? []).map(toEchoedTool),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation === 'auto' ? 'auto' : 'disabled',
    user: body.user ?? null,
    background: body.background ?? false,
    previous_response_id: body.previous_response_id ?? null,
    ...(conversationOf(body) !== undefined && { conversation: { id: conversationOf(body)! } }),
    store,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function wantsLogprobs({ include, top_logprobs: topLogprobs }: ResponsesRequest): boolean {
  return topLogprobs != null || (include ?? []).includes('message.output_text.logprobs');
}

type TextFormat = NonNullable<ResponsesRequest['text']>['format'];

function toOutputFormat(format: TextFormat): OutputFormat {
  switch (format?.type) {
    case 'json_object':
      return { type: 'json-object' };
    case 'json_schema': {
      const { name, schema, strict } = format;
      const param = 'text.format.schema';
      checkSchemaStructure(schema, param);
      warnOfSchema(schema, param);
      return { type: 'json-schema', name, schema, strict: strict ?? false, param };
    }
    default:
      return { type: 'text' };
  }
}

/** Naming an effort asks for reasoning, and so does the wish to see it. */
function toReasoning(reasoning: ResponsesRequest['reasoning']): Reasoning {
  const { effort, summary } = reasoning ?? {};
  if (effort === 'none') return { enabled: false };
  if (effort == null) return summary == null ? {} : { enabled: true };
  return { enabled: true, effort: toEffort(effort) };
}
