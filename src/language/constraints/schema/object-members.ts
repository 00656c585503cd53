/** Collects the members of the objects that an alternative allows. @module */
import type { JsonSchema } from '../../../core/request/tool.js';
import { type Alternative, nodeWith } from './schema-context.js';
import type { SchemaNode } from '../../../core/schema/schema-document.js';
import { SchemaProblem, atKeyword } from '../../../core/schema/limits/schema-problem.js';
import type { PatternedDocument } from './patterned-document.js';

/** Each optional property may be followed by any later one, so the engine's work grows with their square. */
const MAX_PROPERTIES = 400;

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
export function objectMembers(document: PatternedDocument, alternative: Alternative): ObjectMembers {
  const required = new Set(alternative.flatMap((node) => (node['required'] as string[] | undefined) ?? []));
  const names = new Set(alternative.flatMap((node) => Object.keys(propertiesOf(node))));
  for (const name of required) names.add(name);
  document.work.spend(alternative.length + names.size);
  if (names.size > MAX_PROPERTIES) {
    throw new SchemaProblem(
      `has more than ${MAX_PROPERTIES} entries`,
      nodeWith(alternative, 'properties'),
      'properties',
    );
  }
  const sealed = new Map(alternative.filter(isSealed).map((node) => [node, namesWithin(document, node, alternative)]));
  const declared = new Map(
    [...names].map((name) => [
      name,
      alternative.flatMap((node) => memberSchemas(document, node, name, sealed.get(node))),
    ]),
  );
  return {
    declared,
    required,
    extra: isOpen(alternative, names.size > 0 || alternative.some((node) => node['properties'] !== undefined))
      ? extraMembers(document, alternative)
      : [],
  };
}

function propertiesOf(node: SchemaNode): Record<string, JsonSchema> {
  return (node['properties'] as Record<string, JsonSchema> | undefined) ?? {};
}

function patternsOf(node: SchemaNode): Record<string, JsonSchema> {
  return (node['patternProperties'] as Record<string, JsonSchema> | undefined) ?? {};
}

/** The names that the schemas inside a sealed schema declare. */
function namesWithin(document: PatternedDocument, node: SchemaNode, alternative: Alternative): ReadonlySet<string> {
  const within = reachableFrom(document, node);
  document.work.spend(alternative.length);
  const names = alternative.filter((other) => within.has(other)).flatMap((other) => Object.keys(propertiesOf(other)));
  document.work.spend(names.length);
  return new Set(names);
}

/** What one schema demands of the member `name`; `declaredWithin`: the names that it allows when it is sealed. */
function memberSchemas(
  { work, patterns }: PatternedDocument,
  node: SchemaNode,
  name: string,
  declaredWithin: ReadonlySet<string> | undefined,
): JsonSchema[] {
  work.spend(2);
  const properties = propertiesOf(node);
  const found: JsonSchema[] = [];
  if (Object.hasOwn(properties, name)) found.push(properties[name] ?? true);
  for (const [pattern, schema] of Object.entries(patternsOf(node))) {
    if (atKeyword(node, 'patternProperties', () => patterns.isFound(pattern, name))) found.push(schema);
  }
  if (found.length === 0 && node['additionalProperties'] !== undefined)
    found.push(node['additionalProperties'] as JsonSchema);
  if (found.length === 0 && declaredWithin?.has(name) === false) found.push(false);
  return found;
}

/** `unevaluatedProperties: false` forbids members that neither the schema nor its combinations declare. */
function isSealed(node: SchemaNode): boolean {
  return node['unevaluatedProperties'] === false && node['additionalProperties'] === undefined;
}

/**
 * The schemas that apply to the same value as `node` through its `allOf`, `anyOf` and `oneOf`. Not those behind a `$ref`:
 * closing an object across references would refuse more than JSON Schema does.
 */
function reachableFrom({ work }: PatternedDocument, node: SchemaNode): Set<SchemaNode> {
  const found = new Set([node]);
  for (const each of found) {
    work.spend(1);
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      for (const branch of (each[keyword] as JsonSchema[] | undefined) ?? []) {
        if (typeof branch === 'object') found.add(branch);
      }
    }
  }
  return found;
}

/**
 * Whether undeclared members are written. JSON Schema allows them, but who lists properties usually means only
 * these. So others need `additionalProperties` or `patternProperties`, or a schema that lists no properties.
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
function extraMembers({ work }: PatternedDocument, alternative: Alternative): ExtraMembers[] {
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
    work.spend(4 * alternative.length);
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
