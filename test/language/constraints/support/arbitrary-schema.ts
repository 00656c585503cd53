/** Random JSON Schemas that some value satisfies. @module */
import * as fc from 'fast-check';
import type { JsonSchema } from '../../../../src/core/request/tool.js';

const name = fc.constantFrom(
  'name',
  'age',
  'city',
  'a',
  'b-c',
  'ünï',
  'with "quotes"',
  'x\ny',
  '',
  '__proto__',
  'tags',
  'value',
);

const integer = fc
  .tuple(fc.integer({ min: -1000, max: 1000 }), fc.nat(5000), fc.nat(7))
  .map(([low, span, kind]): JsonSchema => {
    const bounds = [
      { minimum: low },
      { maximum: low },
      { minimum: low, maximum: low + span },
      { exclusiveMinimum: low, exclusiveMaximum: low + span + 2 },
    ];
    return {
      type: 'integer',
      ...bounds[kind],
      ...(kind === 5 && { multipleOf: 3 }),
      ...(kind === 2 && { multipleOf: 1 }),
    };
  });

const decimal = fc
  .tuple(fc.integer({ min: -5000, max: 5000 }), fc.integer({ min: 1, max: 9000 }), fc.nat(6))
  .map(([low, span, kind]): JsonSchema => {
    const [from, to] = [low / 100, (low + span) / 100];
    const bounds = [
      { minimum: from },
      { maximum: to },
      { minimum: from, maximum: to },
      { exclusiveMinimum: from, exclusiveMaximum: to },
    ];
    return {
      type: 'number',
      ...bounds[kind],
      ...(kind === 2 && { multipleOf: 0.01 }),
      ...(kind === 5 && { minimum: 0, maximum: 10, multipleOf: 0.25 }),
    };
  });

const text = fc.oneof(
  fc
    .tuple(fc.nat(4), fc.nat(12))
    .map(([min, more]): JsonSchema => ({ type: 'string', minLength: min, maxLength: min + more })),
  fc.constantFrom<JsonSchema>(
    { type: 'string' },
    { type: 'string', minLength: 2 },
    { type: 'string', pattern: '^[A-Z]{2}-\\d+$', maxLength: 8 },
    { type: 'string', pattern: '^(?:foo|bar)(?: baz)*$' },
    { type: 'string', pattern: '\\d', maxLength: 6 },
    { type: 'string', pattern: '^(?!0)(?=.*[a-z])[\\w"]+$' },
    { type: 'string', format: 'date' },
    { type: 'string', format: 'email' },
  ),
);

const scalar = fc.oneof(
  { weight: 3, arbitrary: integer },
  { weight: 3, arbitrary: decimal },
  { weight: 4, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.constantFrom<JsonSchema>(
      { type: 'boolean' },
      { type: 'null' },
      { type: ['string', 'null'], maxLength: 5 },
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .uniqueArray(fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.boolean(), fc.constant(null)), {
        minLength: 1,
        maxLength: 5,
      })
      .map((values): JsonSchema => ({ enum: values })),
  },
  { weight: 1, arbitrary: fc.oneof(fc.jsonValue({ maxDepth: 2 })).map((value): JsonSchema => ({ const: value })) },
);

function objectOf(value: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> {
  return fc
    .tuple(
      fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
      fc.array(value, { minLength: 4, maxLength: 4 }),
      fc.nat(15),
      fc.nat(5),
      value,
    )
    .map(([names, values, required, kind, extra]): JsonSchema => ({
      type: 'object',
      properties: Object.fromEntries(names.map((each, index) => [each, values[index] ?? true])),
      required: names.filter((_, index) => required & (1 << index)),
      ...[
        { additionalProperties: false },
        {},
        { additionalProperties: extra },
        { additionalProperties: false, maxProperties: 4 },
        { minProperties: 1 },
        { patternProperties: { '^x-': extra }, additionalProperties: false },
      ][kind],
    }));
}

function arrayOf(item: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> {
  return fc.tuple(item, item, fc.nat(3), fc.nat(3), fc.nat(3)).map(([first, rest, min, more, kind]): JsonSchema => ({
    type: 'array',
    ...[
      { items: rest, minItems: min, maxItems: min + more },
      { items: rest, maxItems: 3 },
      { prefixItems: [first, rest], items: false, minItems: 1 },
      { prefixItems: [first], items: rest, minItems: min, maxItems: 4 },
    ][kind],
  }));
}

/** Schemas with nested objects, arrays, enums, bounded numbers, patterns, optional properties, unions and references. */
export const arbitrarySchema: fc.Arbitrary<JsonSchema> = fc.letrec<{ value: JsonSchema; root: JsonSchema }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    scalar,
    objectOf(tie('value')),
    arrayOf(tie('value')),
    fc.array(tie('value'), { minLength: 1, maxLength: 3 }).map((options): JsonSchema => ({ anyOf: options })),
    fc.tuple(objectOf(scalar), objectOf(scalar)).map(([left, right]): JsonSchema => ({
      oneOf: [tagged('left', left), tagged('right', right)],
    })),
    tie('value').map((inner): JsonSchema => ({
      type: 'object',
      properties: { item: inner, again: { $ref: '#/$defs/none' } },
      required: ['item'],
    })),
  ),
  root: objectOf(tie('value')).map((schema): JsonSchema => ({
    ...(schema as object),
    $defs: { none: { type: 'null' } },
  })),
})).root;

function tagged(tag: string, schema: JsonSchema): JsonSchema {
  const { properties } = schema as { properties: object };
  return { type: 'object', properties: { kind: { const: tag }, ...properties }, required: ['kind'] };
}

/** The same schemas with a limit on everything that a rambling model could write without end. */
export const arbitraryBoundedSchema: fc.Arbitrary<JsonSchema> = arbitrarySchema.map(
  (schema) => bounded(schema) as JsonSchema,
);

function bounded(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(bounded);
  if (typeof schema !== 'object' || schema === null) return schema;
  const limited = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'const' || key === 'enum' ? value : bounded(value)]),
  );
  if (limited['type'] === 'string') return { maxLength: 12, ...limited };
  const open = typeof limited['additionalProperties'] === 'object' || limited['patternProperties'] !== undefined;
  return limited['type'] === 'object' && open
    ? { maxProperties: 6, propertyNames: { maxLength: 13 }, ...limited }
    : limited;
}
