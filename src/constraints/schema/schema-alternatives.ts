/** Takes a schema's combinations (`$ref`, allOf, anyOf, oneOf) apart. @module */
import type { JsonSchema } from '../../request/tool.js';
import type { Alternative } from './alternative.js';
import { checkDisjoint } from './check-disjoint.js';
import { type SchemaDocument, resolveReference } from './schema-document.js';
import { SchemaProblem } from './schema-problem.js';

const MAX_ALTERNATIVES = 500;

/** All ways to satisfy all of `schemas`. No way: nothing conforms. */
export function alternativesOf(document: SchemaDocument, schemas: readonly JsonSchema[]): Alternative[] {
  return combine(document, schemas, new Set());
}

function combine(document: SchemaDocument, schemas: readonly JsonSchema[], open: ReadonlySet<object>): Alternative[] {
  let combined: Alternative[] = [[]];
  for (const schema of schemas) {
    const ways = expand(document, schema, open);
    combined = combined.flatMap((left) =>
      ways.map((right) => [...left, ...right.filter((node) => !left.includes(node))]),
    );
    if (combined.length > MAX_ALTERNATIVES) {
      throw new SchemaProblem(
        `has more than ${MAX_ALTERNATIVES} combinations`,
        typeof schema === 'object' ? schema : undefined,
      );
    }
  }
  return combined;
}

function expand(document: SchemaDocument, schema: JsonSchema, open: ReadonlySet<object>): Alternative[] {
  if (typeof schema === 'boolean') return schema ? [[]] : [];
  if (open.has(schema)) throw new SchemaProblem('refers to itself without a value in between', schema, '$ref');
  const inner = new Set(open).add(schema);
  const { allOf, anyOf, oneOf } = schema as { [key: string]: JsonSchema[] | undefined };
  let ways: Alternative[] = [[schema]];
  const and = (more: Alternative[]): void => {
    ways = ways.flatMap((left) => more.map((right) => [...left, ...right.filter((node) => !left.includes(node))]));
    if (ways.length > MAX_ALTERNATIVES)
      throw new SchemaProblem(`has more than ${MAX_ALTERNATIVES} combinations`, schema);
  };
  if (schema['$ref'] !== undefined) and(expand(document, resolveReference(document, schema), inner));
  if (allOf !== undefined) and(combine(document, allOf, inner));
  if (anyOf !== undefined) and(anyOf.flatMap((option) => expand(document, option, inner)));
  if (oneOf !== undefined) {
    const branches = oneOf.map((option) => expand(document, option, inner));
    // The branches must exclude each other as they stand: the grammar takes any of them.
    checkDisjoint({ document, alternativesOf: (each) => alternativesOf(document, each) }, schema, ways, branches);
    and(branches.flat());
  }
  return ways;
}
