/** Tools, tool choices and response formats of chat completions as canonical ones. @module */
import { checkJsonSchema } from '../../constraints/check-json-schema.js';
import { InferenceError } from '../../errors/inference-error.js';
import type { OutputFormat } from '../../request/output-format.js';
import type { Tool, ToolChoice } from '../../request/tool.js';
import { defineTools } from './define-tools.js';
import type { ResponseFormatInput, ToolChoiceInput, ToolInput } from './tools.js';

/** @throws InferenceError `invalid_request` for parameters that no grammar can keep */
export function toTools(tools: readonly ToolInput[] | null | undefined): Tool[] {
  return defineTools(
    (tools ?? []).map(({ function: { name, description, parameters } }, index) => ({
      name,
      description,
      parameters,
      param: `tools.${index}.function.parameters`,
    })),
  );
}

/** @throws InferenceError `invalid_request` for a choice that no tool can satisfy */
export function toToolChoice(choice: ToolChoiceInput, tools: readonly Tool[]): ToolChoice {
  if (choice === undefined) return 'auto';
  if (typeof choice === 'string') {
    return choice === 'required' ? requireTools(choice, tools) : choice;
  }
  return requireTool(choice.function.name, tools, 'tool_choice.function.name');
}

/** @throws InferenceError `invalid_request` when there is no tool */
export function requireTools(choice: 'required', tools: readonly Tool[]): ToolChoice {
  if (tools.length > 0) return choice;
  throw new InferenceError('invalid_request', '`tool_choice` demands a call, but `tools` is empty.', {
    param: 'tool_choice',
  });
}

/** @throws InferenceError `invalid_request` when no tool has this name */
export function requireTool(name: string, tools: readonly Tool[], param: string): ToolChoice {
  if (tools.some((tool) => tool.name === name)) return { name };
  throw new InferenceError('invalid_request', `\`${param}\` must be the name of one of the \`tools\`.`, { param });
}

/**
 * A `json_schema` without a schema is any JSON object.
 * @throws InferenceError `invalid_request` for a schema that no grammar can keep
 */
export function toOutputFormat(format: ResponseFormatInput): OutputFormat {
  if (format?.type === 'json_object') return { type: 'json-object' };
  if (format?.type !== 'json_schema') return { type: 'text' };
  const { name, schema, strict } = format.json_schema;
  if (schema == null) return { type: 'json-object' };
  checkJsonSchema(schema, 'response_format.json_schema.schema');
  return { type: 'json-schema', name, schema, strict: strict ?? false };
}
