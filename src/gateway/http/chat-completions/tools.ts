/** Tools, tool choices and response formats of chat completions: their schemas, and their canonical form. @module */
import * as v from 'valibot';
import type { Compatibility } from '../compatibility.js';
import { object, objectOf } from '../fields/json-object.js';
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import type { OutputFormat } from '../../../core/request/generation-request.js';
import type { Tool } from '../../../core/request/tool.js';
import { defineTools, functionName, MAX_TOOLS, offerAll, offerAllowed, requireTool } from '../fields/tools.js';
import type { ToolOffer } from '../fields/tools.js';

/** A JSON Schema; `check-json-schema.ts` looks inside. */
const jsonSchema = objectOf(v.unknown());

const functionTool = object({
  type: v.literal('function'),
  function: object({
    name: functionName,
    description: v.nullish(v.string()),
    parameters: v.nullish(jsonSchema),
  }),
});

export const tools = v.nullish(v.pipe(v.array(functionTool), v.maxLength(MAX_TOOLS)));

const namedFunction = object({ type: v.literal('function'), function: object({ name: v.string() }) });

export const toolChoice = v.nullish(
  v.union([
    v.picklist(['none', 'auto', 'required']),
    v.variant('type', [
      namedFunction,
      object({
        type: v.literal('allowed_tools'),
        allowed_tools: object({ mode: v.picklist(['auto', 'required']), tools: v.array(namedFunction) }),
      }),
    ]),
  ]),
);

const SCHEMA_NAMES = { required: v.string(), optional: v.nullish(v.string()) };

export function responseFormat({ schemaName }: Compatibility) {
  return v.nullish(
    v.variant('type', [
      object({ type: v.literal('text') }),
      object({ type: v.literal('json_object') }),
      object({
        type: v.literal('json_schema'),
        json_schema: object({
          name: SCHEMA_NAMES[schemaName],
          description: v.nullish(v.string()),
          schema: v.nullish(jsonSchema),
          strict: v.nullish(v.boolean()),
        }),
      }),
    ]),
  );
}

export type ToolInput = v.InferOutput<typeof functionTool>;
type ToolChoiceInput = v.InferOutput<typeof toolChoice>;
type ResponseFormatInput = v.InferOutput<ReturnType<typeof responseFormat>>;

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
