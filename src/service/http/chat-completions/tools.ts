/** Tools, tool choices and response formats of chat completions: their schemas, and their canonical form. @module */
import * as v from 'valibot';
import type { Compatibility } from '../policy/compatibility.js';
import { object, objectOf } from '../fields/json-object.js';
import { warnOnce } from '../fields/warn-once.js';
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import type { OutputFormat } from '../../../core/request/generation-request.js';
import type { Tool } from '../../../core/request/tool.js';
import { defineTools, functionName, MAX_TOOLS, offerAll, offerAllowed, requireTool } from '../fields/tools.js';
import type { SchemaCheck, ToolOffer } from '../fields/tools.js';
import { warnOfSchema } from '../fields/schema-mistakes.js';
import { customToolParts } from '../fields/custom-tool.js';

/** A JSON Schema; `check-json-schema.ts` looks inside. */
const jsonSchema = objectOf(v.unknown());

const functionTool = object({
  type: v.literal('function'),
  function: object({
    name: functionName,
    description: v.nullish(v.string()),
    parameters: v.nullish(jsonSchema),
    strict: v.optional(v.unknown()),
  }),
});

/** One free-text argument; `custom-tool.ts` says what becomes of its grammar. */
const customTool = object({
  type: v.literal('custom'),
  custom: object({
    name: functionName,
    description: v.nullish(v.string()),
    format: v.nullish(
      v.variant('type', [
        object({ type: v.literal('text') }),
        object({
          type: v.literal('grammar'),
          grammar: object({ syntax: v.picklist(['lark', 'regex']), definition: v.string() }),
        }),
      ]),
    ),
  }),
});

const TOOLS = { refused: functionTool, known: v.variant('type', [functionTool, customTool]) };

export function toolsSchema({ otherTools }: Compatibility) {
  return v.nullish(v.pipe(v.array(TOOLS[otherTools]), v.maxLength(MAX_TOOLS)));
}

const namedFunction = object({ type: v.literal('function'), function: object({ name: v.string() }) });
const namedCustom = object({ type: v.literal('custom'), custom: object({ name: v.string() }) });
const NAMED = { refused: v.variant('type', [namedFunction]), known: v.variant('type', [namedFunction, namedCustom]) };

export function toolChoiceSchema({ otherTools }: Compatibility) {
  const named = NAMED[otherTools];
  const allowed = object({ mode: v.picklist(['auto', 'required']), tools: v.array(named) });
  const allowedTools = object({ type: v.literal('allowed_tools'), allowed_tools: allowed });
  return v.nullish(
    v.union([v.picklist(['none', 'auto', 'required']), v.variant('type', [...named.options, allowedTools])]),
  );
}

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

export type ToolInput = v.InferOutput<(typeof TOOLS)[keyof typeof TOOLS]>;
type NamedInput = v.InferOutput<(typeof NAMED)[keyof typeof NAMED]>;
type ToolChoiceInput = v.InferOutput<ReturnType<typeof toolChoiceSchema>>;
type ResponseFormatInput = v.InferOutput<ReturnType<typeof responseFormat>>;

/** @throws InferenceError `invalid_request` for parameters that are no JSON Schema */
export function toTools(tools: readonly ToolInput[] | null | undefined, check: SchemaCheck): Tool[] {
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

/** The free-text tools among those of the request. */
export function customToolNames(tools: readonly ToolInput[] | null | undefined): ReadonlySet<string> {
  return new Set((tools ?? []).flatMap((tool) => (tool.type === 'custom' ? [tool.custom.name] : [])));
}

function nameOf(choice: NamedInput): string {
  return choice.type === 'custom' ? choice.custom.name : choice.function.name;
}

/** @throws InferenceError `invalid_request` for a choice that no tool can satisfy */
export function toOffer(choice: ToolChoiceInput, tools: Tool[]): ToolOffer {
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
