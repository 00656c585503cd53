/** Random schemas whose parts stand apart: in `allOf`, `anyOf`, `oneOf`, behind `$ref`. Aimed at what merging must get right. @module */
import * as fc from 'fast-check';
import type { JsonSchema } from '../../../../src/core/request/tool.js';

const NAMES = ['a', 'b', 'c'] as const;
const name = fc.constantFrom(...NAMES);

const scalar = fc.constantFrom<JsonSchema>(
  { type: 'integer' },
  { type: 'integer', minimum: 0, maximum: 9 },
  { type: 'number', minimum: 0.5 },
  { enum: [1, 2] },
  { enum: ['x', 'y'] },
  { const: 1 },
  { const: 'x' },
  { type: 'string', maxLength: 3 },
  { type: 'string', pattern: '^[a-zäöü]{1,3}$' },
  { type: 'string', pattern: '^\\S+$', maxLength: 6 },
  { type: 'string', format: 'date' },
  { type: 'string', format: 'date', pattern: '^2024' },
  { type: 'string', format: 'ipv4' },
  { type: 'string', format: 'hostname', maxLength: 12 },
  { type: 'string', format: 'duration' },
  { type: 'boolean' },
  { type: 'null' },
  { type: ['string', 'null'], maxLength: 2 },
  { type: 'array', items: { enum: [1, 2] }, maxItems: 2 },
  true,
);

/** What says something of members, without the `type` of the whole. */
const part = fc.letrec<{ part: JsonSchema }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 2 },
    fc.uniqueArray(name, { minLength: 1, maxLength: 2 }).map((required): JsonSchema => ({ required })),
    fc
      .tuple(
        fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
        fc.array(scalar, { minLength: 3, maxLength: 3 }),
        fc.nat(7),
      )
      .map(([names, values, bits]): JsonSchema => {
        const required = names.filter((_, index) => bits & (1 << index));
        return {
          properties: Object.fromEntries(names.map((each, index) => [each, values[index]!])),
          ...(required.length > 0 && { required }),
        };
      }),
    fc.constantFrom<JsonSchema>(
      { maxProperties: 1 },
      { minProperties: 1 },
      { additionalProperties: false, properties: { a: true, b: true } },
      { additionalProperties: { type: 'integer' } },
      { patternProperties: { '^[ab]$': { type: ['integer', 'string'] } } },
      { propertyNames: { enum: ['a', 'b'] } },
    ),
    fc
      .tuple(fc.constantFrom('allOf', 'anyOf', 'oneOf', 'oneOf'), fc.array(tie('part'), { minLength: 1, maxLength: 3 }))
      .map(([keyword, parts]): JsonSchema => ({ [keyword]: parts })),
    fc.constantFrom<JsonSchema>({ $ref: '#/$defs/first' }, { $ref: '#/parts/second' }),
  ),
})).part;

const listed = fc.constantFrom<JsonSchema>(
  { enum: ['x', 1, null] },
  { const: 'x' },
  { enum: [1, 2, 3] },
  { const: true },
);

/** Schemas of one value of any type, with branches that may overlap. */
const ofValue = fc
  .tuple(fc.constantFrom('oneOf', 'anyOf', 'allOf'), fc.array(fc.oneof(scalar, listed), { minLength: 2, maxLength: 3 }))
  .map(([keyword, branches]): JsonSchema => ({ [keyword]: branches }));

const simple = fc
  .tuple(fc.uniqueArray(name, { minLength: 1, maxLength: 2 }), scalar)
  .map(([required, value]): JsonSchema => ({ required, properties: { a: value } }));

export const combinedSchema: fc.Arbitrary<JsonSchema> = fc.oneof(
  { weight: 1, arbitrary: ofValue },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.array(scalar, { minLength: 3, maxLength: 3 }),
        simple,
        simple,
        fc.nat(3),
      )
      .map(([parts, values, first, second, kind]): JsonSchema => {
        const base: Record<string, unknown> = { type: 'object', $defs: { first }, parts: { second } };
        const properties = Object.fromEntries(NAMES.map((each, index) => [each, values[index]!]));
        const [only] = parts;
        if (kind === 0) return { ...base, properties, allOf: parts };
        if (kind === 1) return { ...base, allOf: [{ properties }, ...parts] };
        if (kind === 2) return { ...base, properties, anyOf: parts };
        return { ...base, properties, ...(only as object), type: 'object' };
      }),
  },
);
