/** Whether the branches of a `oneOf` exclude each other. @module */
import type { JsonSchema } from '../../request/tool.js';
import type { Alternative } from './alternative.js';
import { objectMembers } from './object-members.js';
import { tightest } from './schema-context.js';
import type { SchemaDocument, SchemaNode } from './schema-document.js';
import { SchemaProblem } from './schema-problem.js';
import { allowedTypes, writtenTypes } from './schema-types.js';
import { conformsTo } from '../validate-against-schema.js';

/** What is needed to look into nested schemas. */
export interface Surroundings {
  document: SchemaDocument;
  alternativesOf(schemas: readonly JsonSchema[]): Alternative[];
}

/**
 * Throws SchemaProblem unless a value written for one branch can never conform to another one as well, which `oneOf`
 * forbids and a grammar cannot watch.
 * @param base what the schema demands besides the branches
 * @param branches the ways of each branch
 */
export function checkDisjoint(
  using: Surroundings,
  node: SchemaNode,
  base: readonly Alternative[],
  branches: readonly (readonly Alternative[])[],
): void {
  branches.forEach((branch, index) => {
    branches.forEach((other, otherIndex) => {
      if (index === otherIndex) return;
      const overlap = branch.some((mine) =>
        base.some((common) => other.some((theirs) => mayConform(using, [...common, ...mine], theirs, 0))),
      );
      if (overlap) {
        throw new SchemaProblem(
          'has branches that one value could satisfy at once; use `anyOf`, or tell them apart by a required property with `const`',
          node,
          'oneOf',
        );
      }
    });
  });
}

/** Whether a value that is written for `mine` may conform to `theirs`. True when in doubt. */
function mayConform(using: Surroundings, mine: Alternative, theirs: Alternative, depth: number): boolean {
  if (depth > 4) return true;
  const own = listedValues(mine);
  if (own !== undefined) {
    return own.some((value) => [...mine, ...theirs].every((node) => conformsTo(using.document, value, node)));
  }
  const listed = listedValues(theirs);
  if (listed !== undefined) {
    return listed.some((value) => [...mine, ...theirs].every((node) => conformsTo(using.document, value, node)));
  }
  const written = writtenTypes(mine);
  const allowed = allowedTypes(theirs);
  const shared = [...written].filter(
    (type) =>
      allowed.has(type) ||
      (type === 'integer' && allowed.has('number')) ||
      (type === 'number' && allowed.has('integer')),
  );
  return shared.some((type) => {
    if (type === 'number' || type === 'integer') return rangesMeet(mine, theirs);
    if (type === 'object') return objectsMayConform(using, mine, theirs, depth);
    return true;
  });
}

function listedValues(alternative: Alternative): unknown[] | undefined {
  for (const node of alternative) {
    if (Object.hasOwn(node, 'const')) return [node['const']];
    if (Array.isArray(node['enum'])) return node['enum'];
  }
  return undefined;
}

function rangesMeet(mine: Alternative, theirs: Alternative): boolean {
  const both = [...mine, ...theirs];
  const low = tightest(both, 'minimum', 'largest') ?? -Infinity;
  const lowOpen = tightest(both, 'exclusiveMinimum', 'largest') ?? -Infinity;
  const high = tightest(both, 'maximum', 'smallest') ?? Infinity;
  const highOpen = tightest(both, 'exclusiveMaximum', 'smallest') ?? Infinity;
  return low <= high && lowOpen < highOpen && low < highOpen && lowOpen < high;
}

function objectsMayConform(using: Surroundings, mine: Alternative, theirs: Alternative, depth: number): boolean {
  const written = objectMembers(mine);
  const wanted = objectMembers(theirs);
  for (const name of wanted.required) {
    if (!written.declared.has(name) && written.extra.length === 0) return false;
  }
  for (const name of written.required) {
    const values = using.alternativesOf(written.declared.get(name) ?? []);
    // objectMembers closes what lists its properties; what the law says of other names is only in the schemas.
    const demanded = wanted.declared.get(name) ?? undeclared(theirs);
    const others = using.alternativesOf(demanded);
    if (!values.some((value) => others.some((other) => mayConform(using, value, other, depth + 1)))) return false;
  }
  return true;
}

/** What the schemas demand of a member that none of them declares. */
function undeclared(alternative: Alternative): JsonSchema[] {
  return alternative.flatMap((node) => {
    const additional = node['additionalProperties'] as JsonSchema | undefined;
    return node['patternProperties'] === undefined && additional !== undefined ? [additional] : [];
  });
}
