import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/core/request/tool.js';
import { checkJsonSchema } from '../../../src/language/constraints/check-json-schema.js';
import { withoutInexpressible } from '../../../src/language/constraints/loose-tools.js';
import { ask } from './support/ask.js';

const property = (schema: unknown): JsonSchema => ({
  type: 'object',
  properties: { value: schema, other: { type: 'integer' } },
  required: ['value'],
});

/** What is kept of a tool's schema, and what is named. */
function kept(parameters: unknown, more: Parameters<typeof ask>[0] = {}): { schema: unknown; keywords: string } {
  const { request, keywords } = withoutInexpressible(
    ask({ tools: [{ name: 'f', parameters: parameters as JsonSchema, loose: true }], ...more }),
  );
  return { schema: request.tools[0]!.parameters, keywords: keywords.join(',') };
}

describe('[G14] what a grammar cannot express is left out', () => {
  it.each<[string, unknown, unknown, string]>([
    [
      'uniqueItems',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      { type: 'array', items: { type: 'string' } },
      'uniqueItems',
    ],
    ['not', { type: 'string', not: { const: 'x' } }, { type: 'string' }, 'not'],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    ['if', { type: 'object', if: { required: ['a'] }, then: { required: ['b'] }, else: {} }, { type: 'object' }, 'if'],
    ['dependentRequired', { type: 'object', dependentRequired: { a: ['b'] } }, { type: 'object' }, 'dependentRequired'],
    ['dependentSchemas', { type: 'object', dependentSchemas: { a: {} } }, { type: 'object' }, 'dependentSchemas'],
    ['contains', { type: 'array', contains: { type: 'string' } }, { type: 'array' }, 'contains'],
    ['a word boundary', { type: 'string', pattern: 'a\\bc|\\bx' }, { type: 'string' }, 'pattern'],
    ['flags', { type: 'string', pattern: '(?i)abc' }, { type: 'string' }, 'pattern'],
    ['many repeats', { type: 'string', pattern: 'a{2000}' }, { type: 'string' }, 'pattern'],
    ['an anchor', { $ref: '#word' }, {}, '$ref'],
    ['an external reference', { $ref: 'https://example.org/a.json' }, {}, '$ref'],
    ['a reference to nothing', { $ref: '#/$defs/missing' }, {}, '$ref'],
    [
      'draft 4',
      { type: 'number', minimum: 3, exclusiveMinimum: true },
      { type: 'number', minimum: 3 },
      'exclusiveMinimum',
    ],
    ['required: null', { type: 'object', required: null }, { type: 'object' }, 'required'],
    ['a required of draft 3', { type: 'string', required: true }, { type: 'string' }, 'required'],
    ['an unknown type', { type: 'any' }, {}, 'type'],
    [
      'alternatives that overlap',
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      { anyOf: [{ type: 'number' }, { type: 'integer' }] },
      'oneOf',
    ],
    ['dependencies', { type: 'object', dependencies: { a: ['b'] } }, { type: 'object' }, 'dependencies'],
  ])('%s', (_, schema, left, keywords) => {
    const found = kept(property(schema));
    expect(found).toEqual({ schema: property(left), keywords });
    expect(() => checkJsonSchema(found.schema, 'tools')).not.toThrow();
  });

  it('deep inside, several at once, each named once', () => {
    const set = { type: 'array', items: { type: 'string' }, uniqueItems: true };
    const left = { type: 'array', items: { type: 'string' } };
    const schema = (list: unknown): unknown => ({
      type: 'object',
      properties: { a: list, b: { anyOf: [list, { type: 'null' }] }, c: { $ref: '#/$defs/C' } },
      $defs: { C: { type: 'object', properties: { list } } },
    });
    expect(kept({ ...(schema(set) as object), not: {} })).toEqual({
      schema: schema(left),
      keywords: 'not,uniqueItems',
    });
  });

  it('a schema that says nothing is any object', () => {
    expect(kept({ type: 'object', properties: { a: 5 } })).toEqual({
      schema: { type: 'object' },
      keywords: 'properties',
    });
    expect(kept({ type: 'string' }).schema).toEqual({ type: 'object' });
  });

  it('a schema of a size that is never read is any object', () => {
    const parameters = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`p${n}`, {}])),
    };
    expect(kept(parameters)).toEqual({ schema: { type: 'object' }, keywords: 'properties' });
  });

  it('the rest of the schema stays, and a schema that can be kept stays whole', () => {
    const whole = property({ type: 'string', minLength: 2, pattern: '^a+$' });
    expect(kept(whole)).toEqual({ schema: whole, keywords: '' });
  });

  it('is not looked at where nothing may be called', () => {
    expect(kept(property({ not: {} }), { toolChoice: 'none' })).toEqual({ schema: { type: 'object' }, keywords: '' });
  });

  it('strict tools are not touched', () => {
    const request = ask({ tools: [{ name: 'f', parameters: property({ not: {} }), strict: true }] });
    expect(withoutInexpressible(request)).toEqual({ request, keywords: [] });
  });
});
