import { type Expression, NEVER, literal, repeat, sequence } from '../grammar/expression.js';
import { stringCharacter } from '../grammar/string-characters.js';
import type { Alternative } from './schema-alternatives.js';
import { type SchemaContext, nodeWith, tightest } from './schema-context.js';
import { SchemaProblem } from './schema-problem.js';

/** The strings that conform to the alternative. */
export function stringGrammar(context: SchemaContext, alternative: Alternative): Expression {
  const min = tightest(alternative, 'minLength', 'largest') ?? 0;
  const max = tightest(alternative, 'maxLength', 'smallest');
  if (nodeWith(alternative, 'pattern')) throw new SchemaProblem('nyi', nodeWith(alternative, 'pattern'), 'pattern');
  if (max !== undefined && max < min) return NEVER;
  return context.rules.add(
    sequence(literal('"'), repeat(stringCharacter(context.rules, context.style), min, max), literal('"')),
  );
}
