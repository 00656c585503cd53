/** Finds the types of values that an alternative allows. @module */
import type { Alternative } from './schema-context.js';
import { SCHEMA_TYPES, type SchemaType } from '../../../core/schema/schema-keywords.js';

/** Keywords about the members of objects. */
export const OBJECT_KEYWORDS = [
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'unevaluatedProperties',
];

/** Keywords that show which type is meant where `type` is missing. */
const HINTS: readonly [SchemaType, readonly string[]][] = [
  ['object', OBJECT_KEYWORDS],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems']],
  ['string', ['pattern', 'minLength', 'maxLength', 'x-format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/** The types that JSON Schema allows, shared by all `type` keywords. `number` stands for itself and for `integer`. */
export function allowedTypes(alternative: Alternative): Set<SchemaType> {
  let allowed = new Set<SchemaType>(SCHEMA_TYPES.filter((type) => type !== 'integer'));
  for (const node of alternative) {
    const type = node['type'];
    if (type === undefined) continue;
    const named = new Set((Array.isArray(type) ? type : [type]) as SchemaType[]);
    if (named.has('number')) named.delete('integer');
    allowed = intersect(allowed, named);
  }
  return allowed;
}

/**
 * The types that the grammar writes. Where `type` is missing but a keyword belongs to one type (`properties` without
 * `type: object`), only that type is written, although JSON Schema would allow values of all others.
 */
export function writtenTypes(alternative: Alternative): Set<SchemaType> {
  const allowed = allowedTypes(alternative);
  if (alternative.some((node) => node['type'] !== undefined)) return allowed;
  const meant = HINTS.filter(([, keywords]) =>
    alternative.some((node) => keywords.some((keyword) => Object.hasOwn(node, keyword))),
  );
  return meant.length === 0 ? allowed : new Set(meant.map(([type]) => type));
}

function intersect(left: ReadonlySet<SchemaType>, right: ReadonlySet<SchemaType>): Set<SchemaType> {
  const shared = new Set<SchemaType>();
  for (const type of left) {
    if (right.has(type)) shared.add(type);
    else if (type === 'number' && right.has('integer')) shared.add('integer');
    else if (type === 'integer' && right.has('number')) shared.add('integer');
  }
  return shared;
}
