/** Strings with lengths, patterns and formats. @module */
import { automatonString } from '../automaton-grammar.js';
import { type Expression, NEVER } from '../../grammar/expression.js';
import { quotedString } from '../../grammar/string-characters.js';
import type { ValueStyle } from '../../grammar/value-style.js';
import type { Alternative } from './alternative.js';
import { type SchemaContext, nodeWith, tightest } from './schema-context.js';
import { SchemaProblem, atKeyword } from '../../../core/schema/schema-problem.js';
import { stringAutomaton } from './string-automaton.js';

/** A minimum above this would make the grammar too large; more than the maximum is never written. */
const MAX_LENGTH = 10_000;

/** The strings that conform to the alternative. @param style where these strings are written in another one */
export function stringGrammar(
  context: SchemaContext,
  alternative: Alternative,
  style: ValueStyle = context.style,
): Expression {
  const min = tightest(alternative, 'minLength', 'largest') ?? 0;
  const max = tightest(alternative, 'maxLength', 'smallest');
  if (max !== undefined && max < min) return NEVER;
  const automaton = stringAutomaton(context, alternative);
  if (automaton !== undefined) {
    return atKeyword(nodeWith(alternative, 'pattern', 'maxLength'), 'pattern', () =>
      automatonString(context.rules, automaton, style),
    );
  }
  if (min > MAX_LENGTH)
    throw new SchemaProblem(`must be at most ${MAX_LENGTH}`, nodeWith(alternative, 'minLength'), 'minLength');
  return quotedString(context.rules, style, min, max === undefined ? undefined : Math.min(max, MAX_LENGTH));
}
