/** The body of a Responses request as a canonical request, and what of it the response repeats. @module */
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import {
  type GenerationRequest,
  type OutputFormat,
  plainGenerationRequest,
  type Reasoning,
} from '../../../core/request/generation-request.js';
import type { Tool } from '../../../core/request/tool.js';
import { defineTools, offerAll, offerAllowed, requireTool } from '../fields/tools.js';
import type { ToolDefinition, ToolOffer } from '../fields/tools.js';
import { toEffort, toSampling } from '../fields/sampling.js';
import { customToolParts } from './custom-tool.js';
import type { SentItem } from './input-schema.js';
import type { ResponsesRequest } from './request-schema.js';
import type { EchoedFields } from './response-object.js';
import { toMessages } from './to-messages.js';

/**
 * Everything that was asked for.
 * @param input the body's, without references
 * @param model catalog id
 * @throws InferenceError `invalid_media`, or `invalid_request` for a schema, tool choice or item that cannot be
 */
export async function toGenerationRequest(
  body: ResponsesRequest,
  input: string | readonly SentItem[],
  model: string,
): Promise<GenerationRequest> {
  const defined = defineTools(
    (body.tools ?? []).map((tool, index) => ({
      name: tool.name,
      ...(tool.type === 'custom' ? customToolParts(tool.description, tool.format) : functionParts(tool)),
      param: `tools.${index}.parameters`,
    })),
  );
  const messages = await toMessages(body.instructions, input);
  return {
    ...plainGenerationRequest(model, { type: 'chat', messages }),
    ...toOffer(body.tool_choice, defined),
    parallelToolCalls: body.parallel_tool_calls ?? true,
    output: toOutputFormat(body.text?.format),
    sampling: toSampling({ temperature: body.temperature, top_p: body.top_p, top_k: body.top_k }),
    reasoning: toReasoning(body.reasoning),
    ...(body.max_output_tokens != null && { maxTokens: body.max_output_tokens }),
    ...(wantsLogprobs(body) && { topLogprobs: body.top_logprobs ?? 0 }),
  };
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
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools ?? []).map(toEchoedTool),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    user: body.user ?? null,
  };
}

type ToolInput = NonNullable<ResponsesRequest['tools']>[number];
type FunctionInput = Extract<ToolInput, { type: 'function' }>;

function functionParts({ description, parameters }: FunctionInput): Pick<ToolDefinition, 'description' | 'parameters'> {
  return { description, parameters };
}

/** Hosted services show every field of a function, and of a custom tool those that it has. */
function toEchoedTool(tool: ToolInput): object {
  if (tool.type === 'custom') return { ...tool, format: tool.format ?? { type: 'text' } };
  const { description = null, parameters = null, strict = null, ...rest } = tool;
  return { ...rest, description, parameters, strict };
}

/** The custom tools among those of the request. */
export function customToolNames({ tools }: ResponsesRequest): ReadonlySet<string> {
  return new Set((tools ?? []).filter(({ type }) => type === 'custom').map(({ name }) => name));
}

function wantsLogprobs({ include, top_logprobs: topLogprobs }: ResponsesRequest): boolean {
  return topLogprobs != null || (include ?? []).includes('message.output_text.logprobs');
}

function toOffer(choice: ResponsesRequest['tool_choice'], tools: Tool[]): ToolOffer {
  if (choice == null) return offerAll('auto', tools);
  if (typeof choice === 'string') return offerAll(choice, tools);
  if (choice.type !== 'allowed_tools')
    return { tools, toolChoice: requireTool(choice.name, tools, 'tool_choice.name') };
  const names = choice.tools.map(({ name }) => name);
  return offerAllowed({ mode: choice.mode, names, paramOf: (index) => `tool_choice.tools.${index}.name` }, tools);
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
