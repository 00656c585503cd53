/** Short ways to write the JSON Schemas of answers. @module */

export type JsonSchema = Record<string, unknown>;

export const text: JsonSchema = { type: 'string' };
export const integer: JsonSchema = { type: 'integer' };
export const number: JsonSchema = { type: 'number' };
export const boolean: JsonSchema = { type: 'boolean' };
/** Any JSON object. */
export const anyObject: JsonSchema = { type: 'object' };

/** Exactly this value. */
export const only = (value: string): JsonSchema => ({ type: 'string', const: value });

/** One of these texts. */
export const oneOf = (...values: string[]): JsonSchema => ({ type: 'string', enum: values });

export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

export const either = (...schemas: JsonSchema[]): JsonSchema => ({ anyOf: schemas });

export const orNull = (schema: JsonSchema): JsonSchema => either(schema, { type: 'null' });

/** By any name. */
export const byName = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values });

/** A schema of the document's components. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** An object that has these properties, and may have those of `optional` and others. */
export function object(properties: Record<string, JsonSchema>, optional: Record<string, JsonSchema> = {}): JsonSchema {
  return { type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) };
}

/** An object with exactly these properties, of which all but `optional` must be there. */
export function exactly(properties: Record<string, unknown>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}
