/** Schemas as clients send them, with values that conform and values that do not, in the order of their properties. */
import type { JsonSchema } from '../../../../src/core/request/tool.js';

/**
 * `right`: every good value is allowed and every bad one is not. `wrong`: at least one is judged otherwise. `refused`: an
 * error that names the keyword. `aborts`: the engine breaks down and has to be loaded anew.
 */
export type Outcome = 'right' | 'wrong' | 'refused' | 'aborts';

export interface TableRow {
  name: string;
  schema: JsonSchema;
  good: readonly unknown[];
  bad: readonly unknown[];
  /** Of the converter that web-xgrammar brings along, at the pinned version. */
  library: Outcome;
  ours: Outcome;
}

type Sketch = [name: string, schema: JsonSchema, good: readonly unknown[], bad: readonly unknown[], Outcome, Outcome];

const closed = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const ROWS: readonly Sketch[] = [
  [
    'required members',
    closed({ a: { type: 'integer' }, b: { type: 'string' } }),
    [{ a: 1, b: 'x' }],
    [{ a: 1 }, { b: 'x' }, { a: 'x', b: 'x' }],
    'right',
    'right',
  ],
  [
    'optional members',
    closed({ a: { type: 'integer' }, b: { type: 'string' } }, ['b']),
    [{ a: 1, b: 'x' }, { b: 'x' }],
    [{ a: 1 }, {}],
    'right',
    'right',
  ],
  [
    'additional members',
    { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
    [{ a: 1 }],
    [{ z: true }, { a: 'x' }],
    'right',
    'right',
  ],
  [
    'additional members of a type',
    { type: 'object', additionalProperties: { type: 'number' } },
    [{}, { x: 1.5 }],
    [{ x: 'y' }],
    'right',
    'right',
  ],
  [
    'additional members named like known ones',
    { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: { type: 'string' } },
    [{ a: 1, b: 'x' }, { b: 'x' }],
    [{ a: 'x' }],
    'wrong',
    'right',
  ],
  ['required but not described', { type: 'object', required: ['id'] }, [{ id: 1 }], [{}], 'wrong', 'right'],
  [
    'at least so many members',
    { type: 'object', additionalProperties: { type: 'boolean' }, minProperties: 1, maxProperties: 2 },
    [{ a: true }, { a: true, b: false }],
    [{}, { a: true, b: true, c: true }],
    'right',
    'right',
  ],
  [
    'names by pattern',
    { type: 'object', patternProperties: { '^x-': { type: 'integer' } }, additionalProperties: false },
    [{ 'x-a': 1 }],
    [{ b: 1 }, { 'x-a': 'y' }],
    'wrong',
    'right',
  ],
  [
    'names of members',
    { type: 'object', propertyNames: { pattern: '^[a-z]+$' }, additionalProperties: { type: 'integer' } },
    [{ ab: 1 }],
    [{ A1: 1 }],
    'right',
    'right',
  ],
  [
    'a member that needs another',
    { ...(closed({ a: { type: 'integer' }, b: { type: 'integer' } }, []) as object), dependentRequired: { a: ['b'] } },
    [{}, { a: 1, b: 2 }, { b: 2 }],
    [{ a: 1 }],
    'wrong',
    'refused',
  ],
  [
    'numbers between bounds',
    { type: 'integer', minimum: -3, maximum: 12 },
    [-3, 0, 12],
    [-4, 13, 1.5],
    'right',
    'right',
  ],
  [
    'numbers below an open bound',
    { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
    [1, 9],
    [0, 10],
    'right',
    'right',
  ],
  [
    'fractions between bounds',
    { type: 'number', minimum: 0, maximum: 1 },
    [0, 0.5, 1],
    [1.5, -0.1, 2],
    'wrong',
    'right',
  ],
  ['multiples', { type: 'integer', multipleOf: 5 }, [0, 15, -20], [3, 16], 'wrong', 'right'],
  [
    'strings of a length',
    { type: 'string', minLength: 2, maxLength: 4 },
    ['ab', 'äöüß', '😀😀'],
    ['a', 'abcde'],
    'right',
    'right',
  ],
  [
    'strings by anchored pattern',
    { type: 'string', pattern: '^[A-Z]{2}\\d{3}$' },
    ['AB123'],
    ['AB12', 'xAB123', 'AB1234'],
    'right',
    'right',
  ],
  [
    'strings by pattern without anchors',
    { type: 'string', pattern: 'cat' },
    ['cat', 'a cat sat'],
    ['dog'],
    'wrong',
    'right',
  ],
  [
    'a pattern and a length',
    { type: 'string', pattern: '^a+$', maxLength: 3 },
    ['a', 'aaa'],
    ['aaaa', 'b'],
    'wrong',
    'right',
  ],
  [
    'a pattern that looks ahead',
    { type: 'string', pattern: '^(?=.*\\d)[a-z0-9]+$' },
    ['a1'],
    ['ab'],
    'aborts',
    'right',
  ],
  [
    'values with quotes and line ends',
    { enum: ['say "hi"', 'two\nlines', 'é'] },
    ['say "hi"', 'two\nlines', 'é'],
    ['say', 'two'],
    'right',
    'right',
  ],
  [
    'values of several types',
    { enum: [1, '1', null, true, { a: [1] }] },
    [1, '1', null, true, { a: [1] }],
    [2, false, { a: [2] }],
    'right',
    'right',
  ],
  [
    'a constant',
    closed({ kind: { const: 'circle' }, r: { type: 'number' } }),
    [{ kind: 'circle', r: 2 }],
    [{ kind: 'square', r: 2 }],
    'right',
    'right',
  ],
  [
    'lists of a length',
    { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 3 },
    [[1], [1, 2, 3]],
    [[], [1, 2, 3, 4], ['x']],
    'right',
    'right',
  ],
  [
    'tuples',
    { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }], items: false, minItems: 2 },
    [[1, 'x']],
    [[1], ['x', 1], [1, 'x', 2]],
    'right',
    'right',
  ],
  [
    'tuples as older drafts wrote them',
    { type: 'array', items: [{ type: 'integer' }, { type: 'string' }], additionalItems: false, minItems: 2 },
    [[1, 'x']],
    [[1], ['x', 1], [1, 'x', 2]],
    'aborts',
    'right',
  ],
  [
    'lists without repetition',
    { type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true },
    [['a'], ['a', 'b']],
    [['a', 'a']],
    'wrong',
    'right',
  ],
  [
    'lists that contain something',
    { type: 'array', items: { type: 'integer' }, contains: { const: 7 } },
    [[7], [1, 7]],
    [[], [1]],
    'wrong',
    'refused',
  ],
  [
    'one of several objects',
    { anyOf: [closed({ a: { type: 'integer' } }), closed({ b: { type: 'string' } })] },
    [{ a: 1 }, { b: 'x' }],
    [{ a: 'x' }, {}],
    'right',
    'right',
  ],
  [
    'exactly one of several',
    { oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] },
    [3, 'x'],
    [-1, true],
    'right',
    'right',
  ],
  [
    'exactly one of two that overlap',
    {
      oneOf: [
        { type: 'integer', multipleOf: 3 },
        { type: 'integer', multipleOf: 5 },
      ],
    },
    [3, 5],
    [15, 1],
    'wrong',
    'refused',
  ],
  [
    'all of several',
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
      ],
    },
    [{ a: 1, b: 'x' }],
    [{ a: 1 }, { b: 'x' }],
    'wrong',
    'right',
  ],
  [
    'keywords beside anyOf',
    { type: 'object', properties: { a: { type: 'integer' } }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    [{ a: 1 }, { b: 2 }],
    [{}, { a: 'x', b: 2 }],
    'wrong',
    'right',
  ],
  ['not', { type: 'string', not: { enum: ['a', 'b'] } }, ['c'], ['a', 'b'], 'wrong', 'refused'],
  [
    'if, then, else',
    {
      type: 'object',
      properties: { a: { type: 'boolean' } },
      required: ['a'],
      if: { properties: { a: { const: true } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['b'] },
    },
    [{ a: true, b: 1 }, { a: false }],
    [{ a: true }],
    'wrong',
    'refused',
  ],
  [
    'a tree by reference',
    {
      $ref: '#/$defs/node',
      $defs: {
        node: closed({ value: { type: 'integer' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } }),
      },
    },
    [{ value: 1, children: [{ value: 2, children: [] }] }],
    [{ value: 1 }, { value: 1, children: [{ value: 'x', children: [] }] }],
    'right',
    'right',
  ],
  [
    'keywords beside a reference',
    { $ref: '#/$defs/n', minimum: 5, $defs: { n: { type: 'integer', maximum: 9 } } },
    [5, 9],
    [4, 10],
    'wrong',
    'right',
  ],
];

export const CONVERTER_TABLE: readonly TableRow[] = ROWS.map(([name, schema, good, bad, library, ours]) => ({
  name,
  schema,
  good,
  bad,
  library,
  ours,
}));
