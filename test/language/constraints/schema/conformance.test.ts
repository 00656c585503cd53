import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Conformance } from '../../../../src/language/constraints/schema/conformance.js';
import type { JsonSchema } from '../../../../src/core/request/tool.js';
import { arbitrarySchema } from '../support/arbitrary-schema.js';
import { conformsToSchema } from '../support/conforms-to-schema.js';
import { rounds } from '../../../support/rounds.js';
import { readPatternedDocument } from '../../../../src/language/constraints/schema/patterned-document.js';

function conforms(value: unknown, schema: JsonSchema): boolean {
  const document = readPatternedDocument(schema);
  return new Conformance(document).conforms(value, document.root);
}

const scalar = fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 1.5, 3, 12, '', 'a', 'ab', 'foo', 'é', '1', '😀');
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'foo', 'x-1', '__proto__', ''), tie('value'), { maxKeys: 4 }),
  ),
})).value;

const name = fc.constantFrom('a', 'b', 'foo', 'x-1', '');
const schema = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const list = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  const count = fc.nat(3);
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      fc.record(
        {
          type: fc.constantFrom('string', 'number', 'integer', 'array', 'object', 'null', ['string', 'boolean']),
          const: scalar,
          minimum: fc.constantFrom(0, 1, 1.5),
          maximum: fc.constantFrom(1, 3),
          exclusiveMaximum: fc.constantFrom(1, 12),
          multipleOf: fc.constantFrom(1, 0.5, 3),
          minLength: count,
          maxLength: count,
          pattern: fc.constantFrom('^a', 'b$', '^\\d*$'),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          items: tie('schema'),
          prefixItems: list,
          contains: tie('schema'),
          minContains: fc.integer({ min: 1, max: 2 }),
          maxContains: count,
          minItems: count,
          maxItems: count,
          uniqueItems: fc.boolean(),
          unevaluatedItems: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
          patternProperties: fc.dictionary(fc.constantFrom('^x-', 'o$'), tie('schema'), { maxKeys: 2 }),
          additionalProperties: tie('schema'),
          propertyNames: fc.record({ maxLength: count }),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          minProperties: count,
          maxProperties: count,
          dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
          dependentSchemas: fc.dictionary(name, tie('schema'), { maxKeys: 2 }),
          unevaluatedProperties: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      fc.record({ allOf: list, anyOf: list, oneOf: list, not: tie('schema') }, { requiredKeys: [] }),
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') }, { requiredKeys: ['if'] }),
      fc.record({ enum: fc.array(scalar, { minLength: 1, maxLength: 4 }) }),
    ) satisfies fc.Arbitrary<JsonSchema>,
  };
}).schema;

describe('Conformance', () => {
  it('agrees with another validator on random schemas and values', () => {
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 1, maxLength: 5 }), (each, values) => {
        for (const one of values)
          expect([each, one, conforms(one, each)]).toEqual([each, one, conformsToSchema(one, each)]);
      }),
      { numRuns: rounds(500, 1_500), seed: 15 },
    );
  });

  it('agrees on the schemas that grammars are made of', () => {
    fc.assert(
      fc.property(arbitrarySchema, value, (each, one) => {
        expect([each, one, conforms(one, each)]).toEqual([each, one, conformsToSchema(one, each)]);
      }),
      { numRuns: 250, seed: 16 },
    );
  });

  it.each<[string, JsonSchema, unknown, boolean]>([
    ['references', { $defs: { a: { type: 'string' } }, properties: { x: { $ref: '#/$defs/a' } } }, { x: 1 }, false],
    ['recursion', { properties: { next: { $ref: '#' } }, required: ['v'] }, { v: 1, next: { v: 2, next: {} } }, false],
    ['objects that are equal', { const: { a: 1, b: [2] } }, { b: [2], a: 1 }, true],
    ['tuples of older drafts', { items: [{ type: 'string' }], additionalItems: false }, ['a', 1], false],
    [
      'members spoken of by a branch',
      { anyOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { a: 1 },
      true,
    ],
    [
      'members nobody speaks of',
      { anyOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { b: 1 },
      false,
    ],
    ['decimal steps', { multipleOf: 0.01 }, 19.99, true],
    [
      'items that are equal objects',
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
  ])('knows %s', (_, each, one, expected) => {
    expect(conforms(one, each)).toBe(expected);
  });
});
