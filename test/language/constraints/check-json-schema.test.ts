import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJsonSchema } from '../../../src/language/constraints/check-json-schema.js';
import { isInferenceError } from '../../../src/core/errors/inference-error.js';
import { arbitrarySchema } from './support/arbitrary-schema.js';

/** The `param` of the error, or undefined when the schema is taken. */
function refusal(schema: unknown): string | undefined {
  try {
    checkJsonSchema(schema, 'schema');
    return undefined;
  } catch (error) {
    if (isInferenceError(error) && error.code === 'invalid_request') return error.param;
    throw error;
  }
}

const nested = (depth: number): unknown =>
  depth === 0 ? { type: 'null' } : { type: 'array', items: nested(depth - 1) };

describe('checkJsonSchema', () => {
  it.each<[string, unknown]>([
    ['the empty schema', {}],
    ['true', true],
    [
      'annotations',
      {
        title: 'x',
        description: 'y',
        default: 3,
        examples: [1],
        'x-own': { a: 1 },
        format: 'unheard-of',
        type: 'string',
      },
    ],
    ['references', { $defs: { a: { type: 'string' } }, type: 'object', properties: { a: { $ref: '#/$defs/a' } } }],
    ['escaped references', { $defs: { 'a/b~c': { type: 'null' } }, $ref: '#/$defs/a~1b~0c' }],
    ['recursion with an end', { type: 'object', properties: { next: { $ref: '#' } } }],
    [
      'mutual recursion',
      {
        $defs: {
          a: { type: 'array', items: { $ref: '#/$defs/b' } },
          b: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] },
        },
        $ref: '#/$defs/a',
      },
    ],
    [
      'a union told apart by a constant',
      {
        oneOf: [
          { type: 'object', properties: { t: { const: 'a' } }, required: ['t'] },
          { type: 'object', properties: { t: { const: 'b' } }, required: ['t'] },
        ],
      },
    ],
    ['a union of types', { oneOf: [{ type: 'string' }, { type: 'null' }, { type: 'array' }] }],
    ['what only enum can keep', { enum: [1, 2, 3], not: { const: 2 } }],
    ['unique items of an enum', { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, minItems: 2 }],
    [
      'merged objects',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { a: { maxLength: 3 }, b: { type: 'null' } } },
        ],
      },
    ],
    [
      'an e-mail pattern with lookaheads',
      {
        type: 'string',
        pattern:
          "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
      },
    ],
    ['safe integers', { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 }],
    [
      'steps',
      {
        type: 'object',
        properties: {
          price: { type: 'number', multipleOf: 0.01 },
          dozen: { type: 'integer', multipleOf: 12, minimum: 0 },
        },
      },
    ],
  ])('takes %s', (_, schema) => {
    expect(refusal(schema)).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ['a string', 'object', 'schema'],
    ['null', null, 'schema'],
    ['a list', [], 'schema'],
    ['an unknown type', { type: 'objekt' }, 'schema.type'],
    ['a type that is no string', { type: 5 }, 'schema.type'],
    ['properties that are a list', { properties: [] }, 'schema.properties'],
    ['a property that is a string', { properties: { a: 'string' } }, 'schema.properties.a'],
    ['required that is true', { properties: { a: { required: true } } }, 'schema.properties.a.required'],
    ['an empty enum', { enum: [] }, 'schema.enum'],
    ['a huge enum', { enum: Array.from({ length: 1001 }, (_, index) => index) }, 'schema.enum'],
    ['an empty anyOf', { anyOf: [] }, 'schema.anyOf'],
    ['a negative length', { type: 'string', minLength: -1 }, 'schema.minLength'],
    ['a fractional count', { type: 'array', maxItems: 1.5 }, 'schema.maxItems'],
    ['a bound that is a string', { type: 'number', minimum: '3' }, 'schema.minimum'],
    ['an infinite bound', { type: 'number', maximum: Infinity }, 'schema.maximum'],
    ['a bound that is no number', { type: 'number', maximum: NaN }, 'schema.maximum'],
    ['an old exclusive bound', { type: 'number', minimum: 3, exclusiveMinimum: true }, 'schema.exclusiveMinimum'],
    ['a step of zero', { type: 'number', multipleOf: 0 }, 'schema.multipleOf'],
    ['a broken pattern', { type: 'string', pattern: '(' }, 'schema.pattern'],
    ['a pattern with a back reference', { type: 'string', pattern: '(a)\\1' }, 'schema.pattern'],
    ['a pattern with a word border', { type: 'string', pattern: '\\bword\\b' }, 'schema.pattern'],
    ['a pattern with a lookahead in the middle', { type: 'string', pattern: 'a(?=b)b' }, 'schema.pattern'],
    ['a pattern that explodes', { type: 'string', pattern: '(?:a|b)*a(?:a|b){40}' }, 'schema.pattern'],
    ['a remote reference', { $ref: 'https://example.com/schema.json' }, 'schema.$ref'],
    ['a missing reference', { $ref: '#/$defs/none' }, 'schema.$ref'],
    [
      'a reference to no schema',
      { type: 'object', required: ['a'], properties: { b: { $ref: '#/required' } } },
      'schema.properties.b.$ref',
    ],
    ['a reference to itself', { $ref: '#' }, 'schema.$ref'],
    ['recursion without an end', { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }, 'schema'],
    ['contradictions', { allOf: [{ type: 'string' }, { type: 'number' }] }, 'schema'],
    ['crossed bounds', { type: 'integer', minimum: 5, maximum: 4 }, 'schema'],
    ['false', false, 'schema'],
    ['not', { type: 'string', not: { const: 'a' } }, 'schema.not'],
    ['if', { properties: { a: { type: 'object', if: { required: ['x'] } } } }, 'schema.properties.a.if'],
    ['contains', { type: 'array', contains: { const: 1 } }, 'schema.contains'],
    ['dependentRequired', { type: 'object', dependentRequired: { a: ['b'] } }, 'schema.dependentRequired'],
    [
      'unique items of any kind',
      { type: 'array', items: { type: 'integer' }, uniqueItems: true },
      'schema.uniqueItems',
    ],
    ['a step that no grammar follows', { type: 'number', multipleOf: 0.3 }, 'schema.multipleOf'],
    ['branches that overlap', { oneOf: [{ type: 'string' }, { type: 'string', maxLength: 3 }] }, 'schema.oneOf'],
    ['a nested $id', { properties: { a: { $id: 'https://example.com/a' } } }, 'schema.properties.a.$id'],
    ['a depth bomb', nested(500), `schema${'.items'.repeat(65)}`],
  ])('refuses %s and says where', (_, schema, param) => {
    expect(refusal(schema)).toBe(param);
  });

  it('refuses references that double at each step', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, { anyOf: [next, next] }];
      }),
    );
    expect(refusal({ $defs: { ...$defs, d30: { type: 'null' } }, $ref: '#/$defs/d0' })).toMatch(/^schema/);
  });

  it('refuses a value that refers to itself', () => {
    const schema: Record<string, unknown> = { type: 'array' };
    schema['items'] = schema;
    expect(refusal(schema)).toMatch(/^schema\.items/);
  });

  it('takes every schema of the random kinds', () => {
    fc.assert(
      fc.property(arbitrarySchema, (schema) => {
        expect(refusal(schema)).toBeUndefined();
      }),
      { numRuns: 60, seed: 3 },
    );
  });

  it('never throws anything but its own error, whatever it is given', () => {
    const keyword = fc.constantFrom(
      'type',
      'properties',
      'items',
      'enum',
      '$ref',
      'anyOf',
      'oneOf',
      'allOf',
      'required',
      'minimum',
      'maxLength',
      'pattern',
      'additionalProperties',
      'prefixItems',
      'const',
      'patternProperties',
      'propertyNames',
      '$defs',
    );
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.constantFrom('string', 'object', 'array', '#', '#/$defs/a', '^a*$'),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(keyword, tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(keyword, value, { maxKeys: 5 }), (schema) => {
        expect(() => refusal(schema)).not.toThrow();
      }),
      { numRuns: 500, seed: 11 },
    );
  });
});
