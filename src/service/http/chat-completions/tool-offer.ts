/** Tools, tool choices and formats with a schema as canonical ones: loaded with the first request that has some. @module */
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import type { OutputFormat } from '../../../core/request/generation-request.js';
import type { Tool } from '../../../core/request/tool.js';
import { customToolParts } from '../fields/custom-tool.js';
import { defineTools } from '../fields/define-tools.js';
import { warnOfSchema } from '../fields/schema-mistakes.js';
import { offerAll, offerAllowed, requireTool, type SchemaCheck, schemaCheck, type ToolOffer } from '../fields/tools.js';
import { warnOnce } from '../fields/warn-once.js';
import type { Compatibility } from '../policy/compatibility.js';
import type { LegacyFields } from './legacy-functions.js';
import type { NamedInput, ResponseFormatInput, ToolChoiceInput, ToolInput } from './tools.js';

function toTools(tools: readonly ToolInput[] | null | undefined, check: SchemaCheck): Tool[] {
  return defineTools(
    (tools ?? []).map((tool, index) => ({ ...partsOf(tool), param: `tools.${index}.function.parameters` })),
    check,
  );
}

function partsOf(tool: ToolInput): Omit<Tool, 'param'> {
  if (tool.type === 'function') {
    const { name, description, parameters, strict } = tool.function;
    return {
      name,
      description: description ?? undefined,
      parameters: parameters ?? undefined,
      ...(strict === true && { strict }),
    };
  }
  const { name, description, format } = tool.custom;
  const rule = format?.type === 'grammar' ? ({ type: 'grammar', ...format.grammar } as const) : undefined;
  return { name, ...customToolParts(description, rule) };
}

function nameOf(choice: NamedInput): string {
  return choice.type === 'custom' ? choice.custom.name : choice.function.name;
}

/** @throws InferenceError `invalid_request` for parameters that are no JSON Schema, or a choice that no tool can satisfy */
export function toToolOffer({ tools, tool_choice: choice }: ToolFields, compatibility: Compatibility): ToolOffer {
  return toOffer(choice, toTools(tools, schemaCheck(compatibility, choice !== 'none')));
}

interface ToolFields {
  tools?: readonly ToolInput[] | null | undefined;
  tool_choice?: ToolChoiceInput;
}

function toOffer(choice: ToolChoiceInput, tools: Tool[]): ToolOffer {
  if (choice == null) return offerAll('auto', tools);
  if (typeof choice === 'string') return offerAll(choice, tools);
  if (choice.type !== 'allowed_tools') {
    return { tools, toolChoice: requireTool(nameOf(choice), tools, `tool_choice.${choice.type}.name`) };
  }
  const { mode, tools: allowed } = choice.allowed_tools;
  const names = allowed.map(nameOf);
  const paramOf = (index: number): string =>
    `tool_choice.allowed_tools.tools.${index}.${allowed[index]?.type ?? 'function'}.name`;
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
  if (schema == null) {
    warnOnce(
      'a request has a `response_format` of type `json_schema` without `json_schema.schema`, so any JSON object fits.',
    );
    return { type: 'json-object' };
  }
  const param = 'response_format.json_schema.schema';
  checkSchemaStructure(schema, param);
  warnOfSchema(schema, param);
  return { type: 'json-schema', name: name ?? 'response', schema, strict: strict ?? false, param };
}

/** @throws InferenceError `invalid_request` for parameters that are no JSON Schema, or a function that is not there */
export function toFunctionOffer(
  { functions, function_call: choice }: LegacyFields,
  compatibility: Compatibility,
): ToolOffer {
  const tools = defineTools(
    (functions ?? []).map(({ name, description, parameters }, index): Tool => {
      const param = `functions.${index}.parameters`;
      return { name, description: description ?? undefined, parameters: parameters ?? undefined, param };
    }),
    schemaCheck(compatibility, choice !== 'none'),
  );
  if (choice == null || typeof choice === 'string') return offerAll(choice ?? 'auto', tools);
  return { tools, toolChoice: requireTool(choice.name, tools, 'function_call.name', 'functions') };
}
