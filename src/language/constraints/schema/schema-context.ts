/** What the grammars of objects, arrays, strings and numbers share. @module */
import type { Expression } from '../../grammar/expression.js';
import type { GrammarRules } from '../../grammar/grammar-rules.js';
import type { ValueStyle } from '../../grammar/value-style.js';
import type { JsonSchema } from '../../../core/request/tool.js';
import type { SchemaNode } from '../../../core/schema/schema-document.js';
import { SchemaProblem } from '../../../core/schema/limits/schema-problem.js';
import type { PatternedDocument } from './patterned-document.js';

/** One way to satisfy a schema: schemas that hold together, without their `allOf`, `anyOf`, `oneOf` and `$ref`. */
export type Alternative = readonly SchemaNode[];

/**
 * Where a schema that this compiler made itself keeps alternatives whose strings must not be written. No document has this
 * keyword: unknown ones are not copied.
 */
export const EXCLUDED = 'x-excluded';

/** Most rules that one schema may need; beyond it compiling would take seconds. */
const MAX_RULES = 8_000;

export interface SchemaContext {
  readonly document: PatternedDocument;
  readonly rules: GrammarRules;
  readonly style: ValueStyle;
  /** Whether a known value conforms to a schema of the document. */
  conforms(value: unknown, schema: JsonSchema): boolean;
  /** The alternatives that satisfy all of the schemas. */
  alternatives(schemas: readonly JsonSchema[]): Alternative[];
  /** The conforming values of an alternative that lists some, else undefined. */
  listed(alternative: Alternative): unknown[] | undefined;
  /** All conforming values when the schemas name them one by one, else undefined. */
  enumerate(schemas: readonly JsonSchema[]): unknown[] | undefined;
  /** The grammar of values that conform to all of these schemas at once. */
  valueOf(schemas: readonly JsonSchema[]): Expression;
}

/** Throws when the grammar has become too large. */
export function checkSize(context: SchemaContext, node: SchemaNode | undefined): void {
  if (context.rules.size > MAX_RULES) throw new SchemaProblem('is too complex', node);
}

/** The smallest (largest) value that the schemas give for a keyword, or undefined. */
export function tightest(
  nodes: readonly SchemaNode[],
  keyword: string,
  pick: 'smallest' | 'largest',
): number | undefined {
  let found: number | undefined;
  for (const node of nodes) {
    const value = node[keyword];
    if (typeof value !== 'number') continue;
    found = found === undefined ? value : pick === 'smallest' ? Math.min(found, value) : Math.max(found, value);
  }
  return found;
}

/** The first schema that has one of these keywords, to point at in an error. */
export function nodeWith(nodes: readonly SchemaNode[], ...keywords: string[]): SchemaNode | undefined {
  return nodes.find((node) => keywords.some((keyword) => Object.hasOwn(node, keyword)));
}
