/** All supported JSON Schema keywords and the types of their values. @module */

/**
 * - `schema`, `schema-list`, `schema-map`, `schema-by-pattern`, `schema-or-list`: where schemas nest
 * - `count`: integer of at least 0; `positive`: number above 0
 * - `values`: a list of at least one value of any kind
 */
export type KeywordKind =
  | 'schema'
  | 'schema-list'
  | 'schema-map'
  | 'schema-by-pattern'
  | 'schema-or-list'
  | 'count'
  | 'number'
  | 'positive'
  | 'boolean'
  | 'string'
  | 'string-list'
  | 'string-list-map'
  | 'types'
  | 'values'
  | 'value'
  | 'pattern';

/** Keywords that restrict values. All others (title, description, default, unknown words) are annotations. */
export const SCHEMA_KEYWORDS: Readonly<Record<string, KeywordKind>> = {
  $ref: 'string',
  $defs: 'schema-map',
  definitions: 'schema-map',
  allOf: 'schema-list',
  anyOf: 'schema-list',
  oneOf: 'schema-list',
  not: 'schema',
  if: 'schema',
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, in a table that no one awaits
  then: 'schema',
  else: 'schema',
  type: 'types',
  enum: 'values',
  const: 'value',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'positive',
  minLength: 'count',
  maxLength: 'count',
  pattern: 'pattern',
  format: 'string',
  items: 'schema-or-list',
  prefixItems: 'schema-list',
  additionalItems: 'schema',
  unevaluatedItems: 'schema',
  contains: 'schema',
  minContains: 'count',
  maxContains: 'count',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'boolean',
  properties: 'schema-map',
  patternProperties: 'schema-by-pattern',
  additionalProperties: 'schema',
  unevaluatedProperties: 'schema',
  propertyNames: 'schema',
  required: 'string-list',
  minProperties: 'count',
  maxProperties: 'count',
  dependentRequired: 'string-list-map',
  dependentSchemas: 'schema-map',
  dependencies: 'value',
  $dynamicRef: 'string',
  $recursiveRef: 'string',
};

/** The seven types of JSON Schema. */
export const SCHEMA_TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;

export type SchemaType = (typeof SCHEMA_TYPES)[number];

/** Keywords that are always refused: later drafts replaced them, or they reach into other documents. */
export const UNKNOWN_KEYWORDS: readonly string[] = ['dependencies', '$dynamicRef', '$recursiveRef'];

/**
 * Keywords that a grammar cannot express. They are refused, because ignoring them would allow wrong answers; beside
 * `enum` and `const` they work, since there each listed value is validated.
 */
export const UNSUPPORTED_KEYWORDS: readonly string[] = [
  'not',
  'if',
  'contains',
  'dependentRequired',
  'dependentSchemas',
  ...UNKNOWN_KEYWORDS,
];
