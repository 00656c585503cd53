/**
 * Schemas that were made to cost more than they weigh: patterns of public lists of expressions that stall backtracking
 * engines, shapes of the JSON Schema test suite doubled many times, and sizes at the limits.
 * @module
 */

/** Patterns and texts on which a backtracking engine needs exponential or polynomial time. */
const STALLING: readonly (readonly [pattern: string, text: string])[] = [
  ['^(a+)+$', `${'a'.repeat(40)}!`],
  ['^([a-zA-Z]+)*$', `${'a'.repeat(40)}!`],
  ['^(a|aa)+$', `${'a'.repeat(50)}!`],
  ['^(a|a?)+$', `${'a'.repeat(40)}!`],
  ['^(.*a){20}$', `${'a'.repeat(40)}!`],
  ['^(\\d+)*x$', '1'.repeat(60)],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(60)],
  ['^(?:a?){30}a{30}$', 'a'.repeat(29)],
  ['(x+x+)+y', 'x'.repeat(60)],
  ['^(\\w+\\s?)*$', `${'word '.repeat(20)}!`],
  ['^\\s+|\\s+$', `x${' '.repeat(2000)}x`],
  ['(.*)(.*)(.*)(.*)(.*)[^a]$', 'a'.repeat(400)],
  [
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    `${'a'.repeat(60)}!`,
  ],
  ['^(([^<>()\\[\\]\\.,;:\\s@"]+(\\.[^<>()\\[\\]\\.,;:\\s@"]+)*)|(".+"))@(x+)+$', `a@${'x'.repeat(60)}!`],
  ['^(https?:\\/\\/)?([\\da-z.-]+)\\.([a-z.]{2,6})([\\/\\w .-]*)*\\/?$', `http://a.bc/${'a'.repeat(60)}?`],
  ['^(?:(?:(?:a*)*)*)*b$', 'a'.repeat(60)],
  ['^((ab)*)+$', `${'ab'.repeat(40)}c`],
  ['^(a*)*(b*)*(c*)*d$', 'abc'.repeat(20)],
  ['^(?=(a+)+b)a*$', 'a'.repeat(40)],
  ['(?<=(a+)+)b', 'a'.repeat(60)],
  ['^(?!(x+x+)+y).*$', 'x'.repeat(60)],
  ['\\b(\\w+\\w+)+\\b!', 'w'.repeat(60)],
  ['^(?:\\p{L}+\\p{L}+)+$', `${'é'.repeat(60)}!`],
  ['^(.|\\n|[^])*$z', 'a'.repeat(60)],
];

/** Patterns whose automata would be endless, or whose making is. */
const SWELLING: readonly (readonly [name: string, pattern: string])[] = [
  ['counts inside counts', '^((a{1000}){1000}){1000}$'],
  ['counts of nothing', '^(?:(?:(?:(?:){1000}){1000}){1000}){1000}$'],
  ['a choice that must be remembered', '(?:a|b)*a(?:a|b){60}'],
  ['many choices that must be remembered', '[ab]*a[ab]{9}'.repeat(20)],
  ['a long count', '^a{1000}b{1000}c{1000}$'],
  ['three hundred classes of properties', '\\p{Lu}\\p{Ll}\\p{Script=Greek}'.repeat(24)],
  [
    'classes of many names',
    `[${Array.from({ length: 300 }, (_, index) => String.fromCodePoint(0x4e00 + index * 3)).join('')}]+`,
  ],
  ['five hundred groups', `${'('.repeat(490)}a${')'.repeat(490)}`],
  ['hundreds of options', `^(?:${Array.from({ length: 200 }, (_, index) => `x${index}`).join('|')})+$`],
  [
    'many lookaheads',
    `^${Array.from({ length: 40 }, (_, index) => `(?=.*${String.fromCharCode(97 + (index % 26))}.{${index}}z)`).join('')}.*$`,
  ],
];

const chain = (length: number, link: (next: { $ref: string }, index: number) => object, end: object): object => ({
  $defs: Object.fromEntries([
    ...Array.from({ length }, (_, index) => [`d${index}`, link({ $ref: `#/$defs/d${index + 1}` }, index)]),
    [`d${length}`, end],
  ]),
  $ref: '#/$defs/d0',
});

const nested = (depth: number, wrap: (inner: object) => object, end: object): object =>
  depth === 0 ? end : wrap(nested(depth - 1, wrap, end));

const names = (count: number, of: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name${index}`, of(index)]));

const list = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index));

/** Letters as in a text without a beginning that others share. */
const randomWord = (seed: number, length: number): string => {
  let state = seed + 1;
  return list(length, () => {
    state = (state * 48_271) % 0x7fff_ffff;
    return String.fromCodePoint(97 + (state % 26));
  }).join('');
};

const tagged = (index: number): object => ({
  type: 'object',
  properties: { kind: { const: `k${index}` }, value: { type: 'integer' } },
  required: ['kind'],
});

/** Combinations, sizes and recursions. */
const SHAPES: readonly (readonly [name: string, schema: unknown])[] = [
  ['allOf doubled 18 times', chain(18, (next) => ({ allOf: [next, next] }), { const: 'x' })],
  ['allOf doubled 60 times', chain(60, (next) => ({ allOf: [next, next] }), { type: 'string' })],
  ['anyOf doubled 30 times', chain(30, (next) => ({ anyOf: [next, next] }), { type: 'null' })],
  ['oneOf doubled 20 times', chain(20, (next) => ({ oneOf: [next, { const: 1 }] }), { const: 2 })],
  [
    'not doubled 30 times beside a constant',
    { const: 1, ...chain(30, (next) => ({ not: { not: { allOf: [next, next] } } }), { const: 1 }) },
  ],
  [
    'properties doubled 40 times',
    chain(40, (next) => ({ type: 'object', properties: { a: next, b: next } }), { type: 'null' }),
  ],
  [
    '1,000 definitions in a chain',
    chain(1_000, (next) => ({ type: 'object', properties: { next } }), { type: 'null' }),
  ],
  ['4,000 references to references', chain(4_000, (next) => next, { type: 'null' })],
  [
    '1,000 definitions that name each other',
    {
      $defs: names(1_000, (index) => ({
        type: 'object',
        properties: {
          a: { $ref: `#/$defs/name${(index * 7 + 1) % 1_000}` },
          b: { $ref: `#/$defs/name${(index * 13 + 5) % 1_000}` },
        },
      })),
      $ref: '#/$defs/name0',
    },
  ],
  [
    'definitions that all name all others',
    {
      $defs: names(60, () => ({
        anyOf: list(60, (index) => ({ type: 'array', items: { $ref: `#/$defs/name${index}` } })),
      })),
      $ref: '#/$defs/name0',
    },
  ],
  [
    'recursion through its own oneOf',
    {
      oneOf: [
        { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] },
        { type: 'object', properties: { a: { $ref: '#' }, b: { type: 'null' } }, required: ['a', 'b'] },
      ],
    },
  ],
  ['recursion beside a constant', { const: { a: 1 }, $ref: '#' }],
  ['recursion through not, beside a constant', { const: 1, not: { $ref: '#' } }],
  [
    'unique items of 1,000 values',
    { type: 'array', uniqueItems: true, items: { enum: list(1_000, (index) => `v${index}`) } },
  ],
  [
    'unique items, 500 of 1,000 values',
    { type: 'array', uniqueItems: true, minItems: 500, items: { enum: list(1_000, (index) => index) } },
  ],
  ['an array of 1,000 unique objects', { const: list(1_000, (index) => ({ index })), uniqueItems: true }],
  ['oneOf of 400 tagged branches', { oneOf: list(400, tagged) }],
  [
    'oneOf of 400 branches without a tag',
    {
      oneOf: list(400, (index) => ({
        type: 'object',
        properties: { [`p${index}`]: { type: 'null' } },
        required: [`p${index}`],
        additionalProperties: false,
      })),
    },
  ],
  ['oneOf of 400 constants', { oneOf: list(400, (index) => ({ const: index })) }],
  [
    'oneOf of 400 ranges',
    { oneOf: list(400, (index) => ({ type: 'integer', minimum: index * 10, maximum: index * 10 + 9 })) },
  ],
  ['oneOf of 20 enums of 500', { oneOf: list(20, (branch) => ({ enum: list(500, (index) => `${branch}-${index}`) })) }],
  [
    'oneOf of 200 branches of 20 members',
    {
      oneOf: list(200, (branch) => ({
        type: 'object',
        properties: names(20, () => ({ anyOf: [{ type: 'string' }, { type: 'integer' }] })),
        required: list(20, (index) => `name${index}`),
        title: String(branch),
      })),
    },
  ],
  [
    'an enum of 1,000 values of 240 characters',
    { enum: list(1_000, (index) => `${'x'.repeat(234)}${String(index).padStart(6, '0')}`) },
  ],
  ['an enum of 600 random words of 240 letters', { enum: list(600, (index) => randomWord(index, 240)) }],
  ['an enum of 1,000 random words of 50 letters', { enum: list(1_000, (index) => randomWord(index, 50)) }],
  [
    '60 strings of different lengths',
    { type: 'object', properties: names(60, (index) => ({ type: 'string', maxLength: 200 + index })) },
  ],
  ['an enum of 1,000 values that differ at once', { enum: list(1_000, (index) => `${index}${'y'.repeat(240)}`) }],
  ['an enum of ever longer values', { enum: list(650, (index) => 'a'.repeat(index + 1)) }],
  ['two constants of 100,000 equal characters', { enum: [`${'z'.repeat(100_000)}1`, `${'z'.repeat(100_000)}2`] }],
  [
    'an enum of 1,000 objects, thrice',
    { allOf: list(3, () => ({ enum: list(1_000, (index) => ({ index, also: [index] })) })) },
  ],
  [
    'strings of 9,999 or 10,000 characters',
    {
      anyOf: [
        { type: 'string', minLength: 10_000 },
        { type: 'string', minLength: 9_999, maxLength: 10_000 },
      ],
    },
  ],
  ['5,000 schemas at once', { allOf: list(4_900, (index) => ({ title: String(index), type: 'string' })) }],
  [
    '100 schemas with 400 members each',
    { allOf: list(40, () => ({ type: 'object', properties: names(120, () => ({ type: 'string' })) })) },
  ],
  ['5,000 required names', { type: 'object', required: list(5_000, (index) => `r${index}`), properties: {} }],
  [
    '400 optional members of 400',
    { type: 'object', properties: names(400, () => ({ type: 'string' })), minProperties: 200 },
  ],
  [
    'sealed schemas by the hundred',
    {
      unevaluatedProperties: false,
      allOf: list(400, (index) => ({
        type: 'object',
        properties: { [`p${index}`]: true },
        unevaluatedProperties: false,
      })),
    },
  ],
  [
    'five patterns of names',
    {
      type: 'object',
      patternProperties: Object.fromEntries(
        list(5, (index) => [`^[a-z]{${index}}.*x{${20 + index}}`, { type: 'integer' }]),
      ),
    },
  ],
  [
    'names under a pattern',
    {
      type: 'object',
      properties: names(300, () => ({ type: 'null' })),
      patternProperties: { '^(n|na|name|a|m|e|\\d)+$': { type: 'null' } },
    },
  ],
  [
    '250 patterns beside a constant',
    { const: 'a'.repeat(1_000), allOf: list(200, (index) => ({ pattern: `(a|b|ab){${index}}(a*)*c` })) },
  ],
  ['a deep constant', { const: nested(60, (inner) => ({ a: [inner] }), {}) }],
  [
    'nested counts of items',
    nested(40, (inner) => ({ type: 'array', items: inner, minItems: 1_000, maxItems: 1_000 }), { type: 'null' }),
  ],
  [
    'nested numbers of members',
    nested(4, (inner) => ({ type: 'object', properties: names(8, () => inner), maxProperties: 4 }), { type: 'null' }),
  ],
  [
    'multiples of everything',
    { anyOf: list(300, (index) => ({ type: 'number', minimum: 0, maximum: 900, multipleOf: 1 + index / 1_000 })) },
  ],
  ['whole multiples of 128', { anyOf: list(128, (index) => ({ type: 'integer', multipleOf: index + 1 })) }],
  [
    'numbers at the edges',
    { allOf: list(500, () => ({ type: 'number', minimum: -1.7e308, maximum: 1.7e308, exclusiveMinimum: -5e-324 })) },
  ],
  [
    'a name of 200,000 characters above 4,000 schemas',
    {
      properties: { ['n'.repeat(200_000)]: { anyOf: list(400, (index) => ({ title: String(index), type: 'null' })) } },
    },
  ],
  ['a reference of 200,000 steps', { $ref: `#${'/a'.repeat(100_000)}` }],
  [
    '500 ways times 500 ways',
    {
      allOf: [
        { anyOf: list(400, (index) => ({ title: String(index) })) },
        { anyOf: list(400, (index) => ({ description: String(index) })) },
      ],
    },
  ],
  ['a million ways to be true', { anyOf: list(300_000, () => true) }],
  ['a type named a hundred thousand times', { type: list(100_000, () => 'string') }],
  [
    'dependencies of each other',
    {
      const: names(300, () => 1),
      dependentSchemas: names(300, (index) => ({ required: list(20, (each) => `name${(index + each) % 300}`) })),
    },
  ],
];

/** Every schema by what it does. */
export const HOSTILE_SCHEMAS: readonly (readonly [name: string, schema: unknown])[] = [
  ...STALLING.map(([pattern, text]): [string, unknown] => [`${pattern} on a constant`, { const: text, pattern }]),
  ...STALLING.slice(0, 6).map(([pattern, text]): [string, unknown] => [
    `${pattern} on the name of a member`,
    { type: 'object', properties: { [text]: true }, patternProperties: { [pattern]: true } },
  ]),
  ...STALLING.slice(0, 6).map(([pattern, text]): [string, unknown] => [
    `${pattern} on all names`,
    { type: 'object', properties: { [text]: true }, required: [text], propertyNames: { pattern } },
  ]),
  ...SWELLING.map(([name, pattern]): [string, unknown] => [`a pattern with ${name}`, { type: 'string', pattern }]),
  ...SWELLING.map(([name, pattern]): [string, unknown] => [
    `a constant under a pattern with ${name}`,
    { const: 'ab'.repeat(200), pattern },
  ]),
  ...SHAPES,
];
