/** Grammars of arrays: fixed items first, then further ones of one schema, within the limits. @module */
import type { JsonSchema } from '../../../core/request/tool.js';
import { EMPTY, type Expression, NEVER, choice, isNever, literal, repeat, sequence } from '../../grammar/expression.js';
import { comma, constant } from '../../grammar/value-style.js';
import { type Alternative, checkSize, nodeWith, type SchemaContext, tightest } from './schema-context.js';
import type { SchemaNode } from '../../../core/schema/schema-document.js';
import { SchemaProblem } from '../../../core/schema/limits/schema-problem.js';

/** A minimum above this would make the grammar too large. */
const MAX_ITEMS = 1_000;

/** The arrays that conform to the alternative. */
export function arrayGrammar(context: SchemaContext, alternative: Alternative): Expression {
  const min = tightest(alternative, 'minItems', 'largest') ?? 0;
  const max = tightest(alternative, 'maxItems', 'smallest');
  if (min > MAX_ITEMS)
    throw new SchemaProblem(`must be at most ${MAX_ITEMS}`, nodeWith(alternative, 'minItems'), 'minItems');
  // The grammar writes no more items; fewer conform as well.
  const most = max !== undefined && max > MAX_ITEMS ? MAX_ITEMS : max;
  if (most !== undefined && min > most) return NEVER;
  const unevaluated = nodeWith(alternative, 'unevaluatedItems');
  if (unevaluated !== undefined && typeof unevaluated['unevaluatedItems'] === 'object') {
    throw new SchemaProblem('is only supported as true or false', unevaluated, 'unevaluatedItems');
  }
  if (unevaluated?.['unevaluatedItems'] === false && alternative.length > 1) {
    throw new SchemaProblem('is not supported in combination with other schemas', unevaluated, 'unevaluatedItems');
  }
  if (alternative.some(isUnique) && (most === undefined || most > 1))
    return uniqueArray(context, alternative, { min, max: most });
  return sequence(literal('['), items(context, alternative, min, most), literal(']'));
}

function items(context: SchemaContext, alternative: Alternative, min: number, max: number | undefined): Expression {
  const length = Math.max(0, ...alternative.map((node) => prefixOf(node).length));
  const separator = comma(context.style);
  const rest = context.valueOf(alternative.flatMap((node) => schemaAt(node, Infinity)));
  const room = max === undefined ? undefined : Math.max(0, max - length);
  // Made from the last fixed item to the first.
  let tail = repeat(sequence(separator, rest), Math.max(0, min - length), room);
  if (length === 0) {
    if (max === 0) return EMPTY;
    const some = sequence(
      rest,
      repeat(sequence(separator, rest), Math.max(0, min - 1), max === undefined ? undefined : max - 1),
    );
    return min === 0 ? choice(some, EMPTY) : some;
  }
  for (let index = length - 1; index >= 0; index -= 1) {
    if (max !== undefined && index >= max) {
      tail = EMPTY;
      continue;
    }
    const value = context.valueOf(alternative.flatMap((node) => schemaAt(node, index)));
    const written = sequence(index === 0 ? EMPTY : separator, value, tail);
    tail = context.rules.add(index >= min ? choice(written, EMPTY) : written);
  }
  return tail;
}

/** Schemas of a node for the item with this index; Infinity: for all items after the fixed ones. */
export function schemaAt(node: SchemaNode, index: number): JsonSchema[] {
  const prefix = prefixOf(node);
  if (index < prefix.length) return [prefix[index] ?? true];
  const rest = Array.isArray(node['items']) ? node['additionalItems'] : node['items'];
  if (rest === undefined) return node['unevaluatedItems'] === false ? [false] : [];
  return [rest as JsonSchema];
}

function prefixOf(node: SchemaNode): JsonSchema[] {
  const prefix = node['prefixItems'] ?? (Array.isArray(node['items']) ? node['items'] : []);
  return prefix as JsonSchema[];
}

const isUnique = (node: SchemaNode): boolean => node['uniqueItems'] === true;

/** `uniqueItems` can be guaranteed for items of a finite list: they are written in the list's order. */
function uniqueArray(
  context: SchemaContext,
  alternative: Alternative,
  { min, max }: { min: number; max: number | undefined },
): Expression {
  const node = alternative.find(isUnique);
  const values = context.enumerate(alternative.flatMap((each) => schemaAt(each, Infinity)));
  if (values === undefined || alternative.some((each) => prefixOf(each).length > 0)) {
    throw new SchemaProblem('is only supported for items with `enum` or `const`', node, 'uniqueItems');
  }
  const known = new Map<string, Expression>();
  const from = (index: number, written: number): Expression => {
    if (max !== undefined && written === max) return EMPTY;
    if (index === values.length) return written >= min ? EMPTY : NEVER;
    const state = `${index} ${Math.min(written, Math.max(min, max ?? 0) + 1)} ${written > 0}`;
    const found = known.get(state);
    if (found !== undefined) return found;
    checkSize(context, node);
    const item = sequence(written > 0 ? comma(context.style) : EMPTY, constant(values[index], context.style));
    const added = context.rules.add(choice(sequence(item, from(index + 1, written + 1)), from(index + 1, written)));
    known.set(state, added);
    return added;
  };
  const body = from(0, 0);
  return isNever(body) ? NEVER : sequence(literal('['), body, literal(']'));
}
