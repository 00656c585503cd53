/** Which members an alternative's objects have. @module */
import type { JsonSchema } from '../../request/tool.js';
import type { Alternative } from './alternative.js';
import type { SchemaNode } from './schema-document.js';
import { nodeWith } from './schema-context.js';
import { SchemaProblem } from './schema-problem.js';

/** Each combination of patterns becomes a kind of member, so their number must be small. */
const MAX_PATTERNS = 5;

/** Member names that no schema declares. */
export interface ExtraMembers {
  /** All of these patterns match the name. */
  matching: readonly string[];
  /** None of these patterns matches it. */
  notMatching: readonly string[];
  schemas: JsonSchema[];
}

export interface ObjectMembers {
  /** In the order of the schema. */
  declared: Map<string, JsonSchema[]>;
  required: ReadonlySet<string>;
  /** Kinds of further members; empty: the object is closed. */
  extra: ExtraMembers[];
}

/** The members of all schemas of an alternative taken together. */
export function objectMembers(alternative: Alternative): ObjectMembers {
  const required = new Set(alternative.flatMap((node) => (node['required'] as string[] | undefined) ?? []));
  const names = new Set(alternative.flatMap((node) => Object.keys(propertiesOf(node))));
  for (const name of required) names.add(name);
  const declared = new Map(
    [...names].map((name) => [name, alternative.flatMap((node) => memberSchemas(node, name, alternative))]),
  );
  return {
    declared,
    required,
    extra: isOpen(alternative, names.size > 0 || alternative.some((node) => node['properties'] !== undefined))
      ? extraMembers(alternative)
      : [],
  };
}

function propertiesOf(node: SchemaNode): Record<string, JsonSchema> {
  return (node['properties'] as Record<string, JsonSchema> | undefined) ?? {};
}

function patternsOf(node: SchemaNode): Record<string, JsonSchema> {
  return (node['patternProperties'] as Record<string, JsonSchema> | undefined) ?? {};
}

/** What one schema demands of the member `name`. */
function memberSchemas(node: SchemaNode, name: string, alternative: Alternative): JsonSchema[] {
  const properties = propertiesOf(node);
  const found: JsonSchema[] = [];
  if (Object.hasOwn(properties, name)) found.push(properties[name] ?? true);
  for (const [pattern, schema] of Object.entries(patternsOf(node))) {
    if (new RegExp(pattern, 'u').test(name)) found.push(schema);
  }
  if (found.length === 0 && node['additionalProperties'] !== undefined)
    found.push(node['additionalProperties'] as JsonSchema);
  if (isSealed(node) && found.length === 0) {
    const within = reachableFrom(node);
    if (!alternative.some((other) => within.has(other) && Object.hasOwn(propertiesOf(other), name))) found.push(false);
  }
  return found;
}

/** `unevaluatedProperties: false` forbids what neither this schema nor its combinations declare. */
function isSealed(node: SchemaNode): boolean {
  return node['unevaluatedProperties'] === false && node['additionalProperties'] === undefined;
}

/**
 * The schemas that apply to the same value as `node` through its `allOf`, `anyOf` and `oneOf`. Not those behind a `$ref`:
 * closing an object across references would refuse more than JSON Schema does.
 */
function reachableFrom(node: SchemaNode, found = new Set<SchemaNode>()): Set<SchemaNode> {
  found.add(node);
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    for (const branch of (node[keyword] as JsonSchema[] | undefined) ?? []) {
      if (typeof branch === 'object' && !found.has(branch)) reachableFrom(branch, found);
    }
  }
  return found;
}

/**
 * Whether undeclared members are written. The law allows them unless `additionalProperties` forbids it; but who lists
 * properties means these, so they are only written when a schema speaks of them, or when it lists none at all.
 */
function isOpen(alternative: Alternative, declares: boolean): boolean {
  if (alternative.some(isSealed)) {
    return alternative.some((node) => node['patternProperties'] !== undefined);
  }
  return (
    !declares ||
    alternative.some((node) => node['additionalProperties'] !== undefined || node['patternProperties'] !== undefined)
  );
}

/** Each combination of patterns that match or do not match, over all schemas. */
function extraMembers(alternative: Alternative): ExtraMembers[] {
  const closed = alternative.some(isSealed);
  const patterns = [...new Set(alternative.flatMap((node) => Object.keys(patternsOf(node))))];
  if (patterns.length > MAX_PATTERNS) {
    throw new SchemaProblem(
      `has more than ${MAX_PATTERNS} patterns`,
      nodeWith(alternative, 'patternProperties'),
      'patternProperties',
    );
  }
  const kinds: ExtraMembers[] = [];
  for (let bits = 0; bits < 2 ** patterns.length; bits += 1) {
    const matching = patterns.filter((_, index) => bits & (1 << index));
    const schemas = alternative.flatMap((node) => {
      const own = Object.entries(patternsOf(node)).filter(([pattern]) => matching.includes(pattern));
      if (own.length > 0) return own.map(([, schema]) => schema);
      const additional = node['additionalProperties'] as JsonSchema | undefined;
      return additional === undefined ? [] : [additional];
    });
    if (schemas.includes(false) || (closed && matching.length === 0)) continue;
    kinds.push({ matching, notMatching: patterns.filter((pattern) => !matching.includes(pattern)), schemas });
  }
  return kinds;
}
