/** Tools, tool choices and response formats of chat completions as canonical ones. @module */
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import type { OutputFormat } from '../../../core/request/generation-request.js';
import type { Tool } from '../../../core/request/tool.js';
import { defineTools } from './define-tools.js';
import { offerAll, offerAllowed, requireTool } from './to-offer.js';
import type { ToolOffer } from './to-offer.js';
import type { ResponseFormatInput, ToolChoiceInput, ToolInput } from './tools.js';

/** @throws InferenceError `invalid_request` for parameters that are no JSON Schema */
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
export function toOffer(choice: ToolChoiceInput, tools: Tool[]): ToolOffer {
  if (choice == null) return offerAll('auto', tools);
  if (typeof choice === 'string') return offerAll(choice, tools);
  if (choice.type === 'function') {
    return { tools, toolChoice: requireTool(choice.function.name, tools, 'tool_choice.function.name') };
  }
  const { mode, tools: allowed } = choice.allowed_tools;
  const names = allowed.map(({ function: { name } }) => name);
  const paramOf = (index: number): string => `tool_choice.allowed_tools.tools.${index}.function.name`;
  return offerAllowed({ mode, names, paramOf }, tools);
}

/**
 * A `json_schema` without a schema is any JSON object.
 * @throws InferenceError `invalid_request` for a schema that is none
 */
export function toOutputFormat(format: ResponseFormatInput): OutputFormat {
  if (format?.type === 'json_object') return { type: 'json-object' };
  if (format?.type !== 'json_schema') return { type: 'text' };
  const { name, schema, strict } = format.json_schema;
  if (schema == null) return { type: 'json-object' };
  const param = 'response_format.json_schema.schema';
  checkSchemaStructure(schema, param);
  return { type: 'json-schema', name: name ?? 'response', schema, strict: strict ?? false, param };
}
