/** The body of a Responses request as a canonical request, and what of it the response repeats. @module */
import { checkJsonSchema } from '../../constraints/check-json-schema.js';
import { plainGenerationRequest } from '../../request/generation-request.js';
import type { GenerationRequest, Reasoning } from '../../request/generation-request.js';
import type { OutputFormat } from '../../request/output-format.js';
import type { Tool } from '../../request/tool.js';
import { defineTools } from '../schemas/define-tools.js';
import { toEffort } from '../schemas/to-effort.js';
import { offerAll, offerAllowed, requireTool } from '../schemas/to-offer.js';
import type { ToolOffer } from '../schemas/to-offer.js';
import { toSampling } from '../schemas/to-sampling.js';
import type { ResponsesRequest } from './request-schema.js';
import type { EchoedFields } from './response-object.js';
import { toMessages } from './to-messages.js';

/**
 * Everything that was asked for.
 * @param model catalog id
 * @throws InferenceError `invalid_media`, or `invalid_request` for a schema, tool choice or item that cannot be
 */
export async function toGenerationRequest(body: ResponsesRequest, model: string): Promise<GenerationRequest> {
  const defined = defineTools(
    (body.tools ?? []).map(({ name, description, parameters }, index) => ({
      name,
      description,
      parameters,
      param: `tools.${index}.parameters`,
    })),
  );
  const messages = await toMessages(body.instructions, body.input);
  return {
    ...plainGenerationRequest(model, { type: 'chat', messages }),
    ...toOffer(body.tool_choice, defined),
    parallelToolCalls: body.parallel_tool_calls ?? true,
    output: toOutputFormat(body.text?.format),
    sampling: toSampling({ temperature: body.temperature, top_p: body.top_p, top_k: body.top_k }),
    reasoning: toReasoning(body.reasoning?.effort),
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
    reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
    temperature: body.temperature ?? 0,
    text: { format: body.text?.format ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools ?? []).map(({ description = null, parameters = null, strict = null, ...tool }) => ({
      ...tool,
      description,
      parameters,
      strict,
    })),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    user: body.user ?? null,
  };
}

function wantsLogprobs({ include, top_logprobs: topLogprobs }: ResponsesRequest): boolean {
  return topLogprobs != null || (include ?? []).includes('message.output_text.logprobs');
}

function toOffer(choice: ResponsesRequest['tool_choice'], tools: Tool[]): ToolOffer {
  if (choice == null) return offerAll('auto', tools);
  if (typeof choice === 'string') return offerAll(choice, tools);
  if (choice.type === 'function') return { tools, toolChoice: requireTool(choice.name, tools, 'tool_choice.name') };
  const names = choice.tools.map(({ name }) => name);
  return offerAllowed({ mode: choice.mode, names, paramOf: (index) => `tool_choice.tools.${index}.name` }, tools);
}

type TextFormat = NonNullable<ResponsesRequest['text']>['format'];

function toOutputFormat(format: TextFormat): OutputFormat {
  switch (format?.type) {
    case 'json_object':
      return { type: 'json-object' };
    case 'json_schema':
      checkJsonSchema(format.schema, 'text.format.schema');
      return { type: 'json-schema', name: format.name, schema: format.schema, strict: format.strict ?? false };
    default:
      return { type: 'text' };
  }
}

type Effort = NonNullable<ResponsesRequest['reasoning']>['effort'];

/** Naming an effort asks for reasoning. */
function toReasoning(effort: Effort): Reasoning {
  if (effort == null) return {};
  return effort === 'none' ? { enabled: false } : { enabled: true, effort: toEffort(effort) };
}
