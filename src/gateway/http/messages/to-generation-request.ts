/** The body of a Messages request as a canonical request. @module */
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import {
  type GenerationRequest,
  type OutputFormat,
  plainGenerationRequest,
  type Reasoning,
} from '../../../core/request/generation-request.js';
import type { Tool, ToolChoice } from '../../../core/request/tool.js';
import type { FieldNames } from '../generation/generate.js';
import { defineTools, requireTool, requireTools } from '../fields/tools.js';
import { toEffort, toSampling } from '../fields/sampling.js';
import type { CountTokensRequest, MessagesRequest } from './request-schema.js';
import { toMessages } from './to-messages.js';

/** What errors from below call otherwise. */
export const FIELD_NAMES: FieldNames = { messages: 'messages', response_format: 'output_config.format' };

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
