/** Names of members that no schema lists. @module */
import { automatonString } from '../automaton-grammar.js';
import type { Automaton } from '../../../core/schema/automaton/automaton-table.js';
import { combineAutomata, complement, literalsAutomaton } from '../../../core/schema/automaton/automaton.js';
import { type Expression, NEVER } from '../../grammar/expression.js';
import { quotedString } from '../../grammar/string-characters.js';
import type { ExtraMembers } from './object-members.js';
import type { Alternative } from './alternative.js';
import { type SchemaContext, nodeWith } from './schema-context.js';
import type { SchemaNode } from '../../../core/schema/schema-document.js';
import { atKeyword } from '../../../core/schema/schema-problem.js';
import { nameAutomaton, patternAt } from './string-automaton.js';

/**
 * Names of this kind that are none of the declared ones: a declared name has its own schema, and written twice, the
 * second value would win.
 */
export function keyOutside(
  context: SchemaContext,
  alternative: Alternative,
  declared: readonly string[],
  kind: ExtraMembers,
): Expression {
  // Which names can be written without quotes is the model's business, not the schema's.
  if (context.style.language === 'loose') return NEVER;
  const { document } = context;
  const { work } = document;
  const node = nodeWith(alternative, 'patternProperties');
  const conditions: Automaton[] = [];
  return atKeyword(alternative[0], 'additionalProperties', () => {
    if (declared.length > 0) conditions.push(complement(literalsAutomaton(declared, work)));
    for (const pattern of kind.matching)
      conditions.push(patternAt(document, node, 'patternProperties', pattern, 'narrow'));
    for (const pattern of kind.notMatching)
      conditions.push(complement(patternAt(document, node, 'patternProperties', pattern, 'wide')));
    for (const each of alternative) {
      const names = each['propertyNames'];
      if (names === false) return NEVER;
      if (typeof names === 'object') conditions.push(nameAutomaton(context, names as SchemaNode));
    }
    if (conditions.length === 0) return quotedString(context.rules, context.style);
    return automatonString(
      context.rules,
      conditions.reduce((left, right) => combineAutomata(left, right, 'both', work)),
      context.style,
    );
  });
}
