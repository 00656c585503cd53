/** Tools, tool choices and response formats as chat completions write them. @module */
import * as v from 'valibot';
import type { Compatibility } from '../compatibility.js';
import { object, objectOf } from './plain-object.js';

/** A JSON Schema; `check-json-schema.ts` looks inside. */
const jsonSchema = objectOf(v.unknown());

/** Most tools that a request may define, on every endpoint. */
export const MAX_TOOLS = 128;

/** Letters, digits, underscores, dashes. */
export const functionName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_-]+$/, 'must consist of letters, digits, underscores and dashes'),
);

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
export type ToolChoiceInput = v.InferOutput<typeof toolChoice>;
export type ResponseFormatInput = v.InferOutput<ReturnType<typeof responseFormat>>;
