/** The body of `POST /responses`, the canonical request that it becomes, and what of it the response repeats. @module */
import type { RequestImages } from '../fields/request-images.js';
import * as v from 'valibot';
import type { Compatibility } from '../compatibility.js';
import { object, objectOf } from '../fields/json-object.js';
import { EFFORTS, integerFrom, numberBetween, toEffort, topLogprobs, toSampling } from '../fields/sampling.js';
import { toMessages } from './input.js';
import { inputSchema, type SentItem } from './input-schema.js';
import { toEchoedChoice, toOffer, toolChoiceSchema } from './tool-choice.js';
import { toEchoedTool, toolsSchema, ToolSet } from './tools.js';
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import {
  type GenerationRequest,
  type OutputFormat,
  plainGenerationRequest,
  type Reasoning,
} from '../../../core/request/generation-request.js';
import type { EchoedFields } from './response-object.js';

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

/** A field that asks for something kept between requests. */
function stateful() {
  return v.nullish(v.never('is not supported: nothing is stored between requests'));
}

/** In the field order of the specification, which is the order in which problems are reported. */
export function responsesRequestSchema(compatibility: Compatibility) {
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
    tools: v.nullish(toolsSchema(compatibility)),
    tool_choice: toolChoiceSchema(compatibility),
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
    const message = `\`${param}\` must be "function" or "custom": built-in tools are not supported.`;
    throw new InferenceError('unsupported_tool_type', message, { param });
  }
}

function typeOfTool({ tools }: Record<string, unknown>, index: number): unknown {
  const tool: unknown = Array.isArray(tools) ? tools[index] : undefined;
  return typeof tool === 'object' && tool !== null ? Reflect.get(tool, 'type') : undefined;
}

/**
 * Everything that was asked for, and the tools as the client knows them.
 * @param input the body's, without references
 * @param model catalog id
 * @param images takes the images
 * @throws InferenceError `invalid_media`, or `invalid_request` for a schema, tool choice or item that cannot be
 */
export function toGenerationRequest(
  body: ResponsesRequest,
  input: string | readonly SentItem[],
  model: string,
  images: RequestImages,
  { sampling }: Compatibility,
): { request: GenerationRequest; tools: ToolSet } {
  const tools = new ToolSet();
  tools.add(body.tools ?? [], 'tools');
  for (const [index, item] of typeof input === 'string' ? [] : input.entries()) {
    if (item.type === 'tool_search_output') tools.add(item.tools, `input.${index}.tools`);
  }
  const defined = tools.define();
  const messages = toMessages(body.instructions, input, images, tools);
  const request: GenerationRequest = {
    ...plainGenerationRequest(model, { type: 'chat', messages }),
    ...toOffer(body.tool_choice, defined, tools),
    parallelToolCalls: body.parallel_tool_calls ?? true,
    output: toOutputFormat(body.text?.format),
    paramNames: { messages: 'input', response_format: 'text.format' },
    sampling: toSampling({ temperature: body.temperature, top_p: body.top_p, top_k: body.top_k }, sampling),
    reasoning: toReasoning(body.reasoning),
    ...(body.max_output_tokens != null && { maxTokens: body.max_output_tokens }),
    ...(wantsLogprobs(body) && { topLogprobs: body.top_logprobs ?? 0 }),
  };
  return { request, tools };
}

/** What was asked for, as the response says it: defaults filled in. Without a temperature decoding is greedy, so 0. */
export function toEchoedFields(body: ResponsesRequest, model: string): EchoedFields {
  return {
    model,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    temperature: body.temperature ?? 0,
    text: { format: body.text?.format ?? { type: 'text' } },
    tool_choice: toEchoedChoice(body.tool_choice),
    tools: (body.tools ?? []).map(toEchoedTool),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    user: body.user ?? null,
  };
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
