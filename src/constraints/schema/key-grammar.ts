import { type Expression, sequence, literal, repeat } from '../grammar/expression.js';
import { stringCharacter } from '../grammar/string-characters.js';
import type { ExtraMembers } from './object-members.js';
import type { Alternative } from './schema-alternatives.js';
import type { SchemaContext } from './schema-context.js';

export function keyOutside(
  context: SchemaContext,
  alternative: Alternative,
  declared: string[],
  kind: ExtraMembers,
): Expression {
  void alternative;
  void declared;
  void kind;
  return sequence(literal('"'), repeat(stringCharacter(context.rules, context.style), 0), literal('"'));
}
