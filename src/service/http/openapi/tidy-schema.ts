/** What the conversion to JSON Schema leaves behind, which generators of clients stumble over. @module */
import type { JsonSchema } from './json-schema.js';

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema that nothing conforms to. */
const isNever = (schema: unknown): boolean => isObject(schema) && isObject(schema['not']) && isEmpty(schema['not']);
const isEmpty = (schema: JsonSchema): boolean => Object.keys(schema).length === 0;

/** Whether an object needs a property that has no value: such sources and items are refused whatever they hold. */
function isImpossible(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { properties, required } = schema;
  return (
    isObject(properties) && Array.isArray(required) && required.some((name) => isNever(properties[name as string]))
  );
}

/** The same schema without variants that nothing conforms to, and without words that say nothing. */
export function tidySchema(schema: JsonSchema): JsonSchema {
  return tidy(schema) as JsonSchema;
}

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (!isObject(value)) return value;
  const tidied: JsonSchema = {};
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'propertyNames' && isObject(inner) && inner['type'] === 'string' && Object.keys(inner).length === 1)
      continue;
    if (name === 'additionalProperties' && isObject(inner) && isEmpty(inner)) continue;
    const isChoice = (name === 'anyOf' || name === 'oneOf') && Array.isArray(inner);
    tidied[name] = tidy(isChoice ? inner.filter((variant) => !isImpossible(variant)) : inner);
  }
  return withoutOnlyChoice(tidied);
}

/** A choice of one schema is that schema; one that anything conforms to says nothing. */
function withoutOnlyChoice({ anyOf, oneOf, ...rest }: JsonSchema): JsonSchema {
  const isFree = Array.isArray(anyOf) && anyOf.some((variant) => isObject(variant) && isEmpty(variant));
  const kept = { ...rest, ...(anyOf !== undefined && !isFree && { anyOf }), ...(oneOf !== undefined && { oneOf }) };
  for (const name of ['anyOf', 'oneOf'] as const) {
    const { [name]: variants, ...others } = kept as JsonSchema;
    const only: unknown = Array.isArray(variants) && variants.length === 1 ? variants[0] : undefined;
    if (isObject(only) && Object.keys(only).every((word) => !(word in others))) return { ...only, ...others };
  }
  return kept;
}

/**
 * A part that is chosen by its `type`, as the conversion writes it: the known types alone. Others are read as text, named in
 * a header, or refused by name.
 */
export function withOtherTypes(known: JsonSchema): JsonSchema {
  const types = typesOf(known);
  const other = {
    type: 'object',
    description: 'Of another type: its text is read, or a header of the answer names it.',
    properties: { type: { type: 'string', ...(types.length > 0 && { not: { enum: types } }) } },
    required: ['type'],
  };
  return { anyOf: [known, other] };
}

/** The values of `type` that a schema's variants stand for. */
function typesOf(schema: JsonSchema): string[] {
  const variants = [schema['anyOf'], schema['oneOf']].flatMap((all) => (Array.isArray(all) ? (all as unknown[]) : []));
  const { type } = isObject(schema['properties']) ? schema['properties'] : {};
  const own = isObject(type) ? [type, ...(Array.isArray(type['anyOf']) ? (type['anyOf'] as unknown[]) : [])] : [];
  const values = own.flatMap((each) =>
    isObject(each) ? [each['const'], ...(Array.isArray(each['enum']) ? (each['enum'] as unknown[]) : [])] : [],
  );
  return [
    ...values.filter((value) => typeof value === 'string'),
    ...variants.flatMap((variant) => (isObject(variant) ? typesOf(variant) : [])),
  ];
}
