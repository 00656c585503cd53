/** Tools, tool choices and response formats of chat completions as their schemas read them. @module */
import * as v from 'valibot';
import type { Compatibility } from '../policy/compatibility.js';
import { object, objectOf } from '../fields/json-object.js';
import { functionName, MAX_TOOLS } from '../fields/tools.js';

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
export type NamedInput = v.InferOutput<(typeof NAMED)[keyof typeof NAMED]>;
export type ToolChoiceInput = v.InferOutput<ReturnType<typeof toolChoiceSchema>>;
export type ResponseFormatInput = v.InferOutput<ReturnType<typeof responseFormat>>;

/** The free-text tools among those of the request. */
export function customToolNames(tools: readonly ToolInput[] | null | undefined): ReadonlySet<string> {
  return new Set((tools ?? []).flatMap((tool) => (tool.type === 'custom' ? [tool.custom.name] : [])));
}
