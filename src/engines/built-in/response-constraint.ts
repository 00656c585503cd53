/** What the interface is told about the form of an answer, and whether the answer has it. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { type GenerationRequest, offersTools } from '../../core/request/generation-request.js';
import type { ToolCall } from '../../core/request/message.js';
import type { JsonSchema, Tool } from '../../core/request/tool.js';
import { SCHEMA_KEYWORDS } from '../../core/schema/schema-keywords.js';
import { offeredTools } from '../../language/constraints/answer-grammar.js';
import { withoutInexpressible } from '../../language/constraints/loose-tools.js';
import { checkSchemas } from '../../language/constraints/check-json-schema.js';
import { Conformance } from '../../language/constraints/schema/conformance.js';
import type { PromptSettings } from './language-model.js';
import { readPatternedDocument } from '../../language/constraints/schema/patterned-document.js';

/** A constraint, and the field of the request that it comes from. */
export interface ResponseConstraint {
  settings: Pick<PromptSettings, 'responseConstraint' | 'omitResponseConstraintInput'>;
  param: string | undefined;
  /** Keywords of tools' schemas that are left out. */
  schemaKeywords: readonly string[];
}

type SchemaObject = Exclude<JsonSchema, boolean>;

const ANY_OBJECT: SchemaObject = { type: 'object' };

/**
 * A JSON Schema for answers that must be JSON: the format that was asked for, calls as `json-list` writes them, or both.
 * No constraint where the model may also answer with text.
 * @throws InferenceError `invalid_request` for a schema that other engines refuse, or a forced tool that is not there
 */
export function responseConstraint(request: GenerationRequest): ResponseConstraint {
  const { request: expressible, keywords } = withoutInexpressible(request);
  return { ...constraintFor(expressible), schemaKeywords: keywords };
}

function constraintFor(request: GenerationRequest): Omit<ResponseConstraint, 'schemaKeywords'> {
  checkSchemas(request);
  const tools = offeredTools(request);
  const format = outputSchema(request);
  const mustCall = tools.length > 0 && request.toolChoice !== 'auto';
  if (mustCall) return constraint(callsSchema(tools, request, '#'), 'tools', { isTold: true });
  if (!format) return { settings: {}, param: undefined };
  const param = formatParam(request);
  if (tools.length === 0) return constraint(format, param);
  const either = { anyOf: [nested(format, '#/anyOf/0'), callsSchema(tools, request, '#/anyOf/1')] };
  return constraint(either, param);
}

/** @param isTold the prompt says it already */
function constraint(
  schema: SchemaObject,
  param: string,
  { isTold = false } = {},
): Omit<ResponseConstraint, 'schemaKeywords'> {
  return { settings: { responseConstraint: schema, ...(isTold && { omitResponseConstraintInput: true }) }, param };
}

function outputSchema({ output }: GenerationRequest): SchemaObject | undefined {
  if (output.type === 'text') return undefined;
  if (output.type === 'json-object') return ANY_OBJECT;
  // A boolean schema allows everything: `false` was refused before.
  return typeof output.schema === 'boolean' ? {} : output.schema;
}

function formatParam({ output, paramNames }: GenerationRequest): string {
  const own = output.type === 'json-schema' ? output.param : undefined;
  return own ?? paramNames?.response_format ?? 'response_format';
}

/** @param pointer JSON pointer of this schema in the whole one */
function callsSchema(tools: readonly Tool[], { parallelToolCalls }: GenerationRequest, pointer: string): SchemaObject {
  const calls = tools.map(({ name, parameters }, index) => ({
    type: 'object',
    properties: {
      name: { const: name },
      arguments: nested(argumentsSchema(parameters), `${pointer}/items/anyOf/${index}/properties/arguments`),
    },
    required: ['name', 'arguments'],
    additionalProperties: false,
  }));
  return { type: 'array', minItems: 1, ...(!parallelToolCalls && { maxItems: 1 }), items: { anyOf: calls } };
}

function argumentsSchema(parameters: JsonSchema | undefined): SchemaObject {
  return typeof parameters === 'object' ? { ...ANY_OBJECT, ...parameters } : ANY_OBJECT;
}

/** The schema as a part of another one: references to its own root become references to its place. */
function nested(schema: JsonSchema, pointer: string): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const each = (value: unknown): JsonSchema => nested(value as JsonSchema, pointer);
  const byName = (value: unknown): object =>
    Object.fromEntries(Object.entries(value as object).map(([name, item]) => [name, each(item)]));
  const moved = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === '$ref') return [keyword, String(value).replace('#', pointer)];
    switch (Object.hasOwn(SCHEMA_KEYWORDS, keyword) ? SCHEMA_KEYWORDS[keyword] : undefined) {
      case 'schema':
        return [keyword, each(value)];
      case 'schema-list':
        return [keyword, (value as unknown[]).map(each)];
      case 'schema-or-list':
        return [keyword, Array.isArray(value) ? value.map(each) : each(value)];
      case 'schema-map':
      case 'schema-by-pattern':
        return [keyword, byName(value)];
      default:
        return [keyword, value];
    }
  });
  return Object.fromEntries(moved);
}

/** A whole answer. */
export interface WholeAnswer {
  text: string;
  calls: readonly Pick<ToolCall, 'name' | 'arguments'>[];
  rawOutput: string;
}

/**
 * Compares an answer with what was asked for: the browser's promise is checked, not believed.
 * @throws InferenceError `model_output_invalid`
 */
export function checkAnswer(request: GenerationRequest, { text, calls, rawOutput }: WholeAnswer): void {
  const tools = offersTools(request) ? withoutInexpressible(request).request.tools : [];
  const conforms =
    calls.length > 0
      ? calls.every(({ name, arguments: given }) => {
          const tool = tools.find((each) => each.name === name);
          return tool !== undefined && isConforming(given, argumentsSchema(tool.parameters));
        })
      : isConforming(text, outputSchema(request));
  if (!conforms) throw outputInvalid(rawOutput);
}

/** The answer is not what was asked for. */
export function outputInvalid(modelOutput: string, cause?: unknown): InferenceError {
  return new InferenceError(
    'model_output_invalid',
    "The answer of the browser's built-in model does not conform to the schema of the request.",
    { modelOutput },
    { cause },
  );
}

/** @param schema undefined: any text conforms */
function isConforming(text: string, schema: SchemaObject | undefined): boolean {
  if (!schema) return true;
  const document = readPatternedDocument(schema);
  try {
    return new Conformance(document).conforms(JSON.parse(text), document.root);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return false;
    throw thrown;
  }
}
