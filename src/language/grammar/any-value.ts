/** JSON values of which nothing is known. @module */
import { EMPTY, type Expression, characters, choice, literal, optional, repeat, sequence } from './expression.js';
import type { GrammarRules } from './grammar-rules.js';
import { quotedString } from './string-characters.js';
import { type ValueStyle, colon, comma, constant, styleName } from './value-style.js';

/** How deep free values nest. A model that only opens brackets ends here. */
const DEPTH = 8;

/** Any number that keeps its value when it is read. */
function anyNumber(): Expression {
  const digit = characters([0x30, 0x39]);
  const whole = choice(literal('0'), sequence(characters([0x31, 0x39]), repeat(digit, 0, 14)));
  return sequence(optional(literal('-')), whole, optional(sequence(literal('.'), repeat(digit, 1, 6))));
}

/** Any object whose values are free. */
export function anyObject(rules: GrammarRules, style: ValueStyle): Expression {
  return containers(rules, style).object;
}

/** Any array of free values. */
export function anyArray(rules: GrammarRules, style: ValueStyle): Expression {
  return containers(rules, style).array;
}

function bareKey(): Expression {
  const letters = [0x41, 0x5a] as const;
  const more = [0x61, 0x7a] as const;
  return sequence(
    characters(letters, more, [0x5f, 0x5f]),
    repeat(characters(letters, more, [0x5f, 0x5f], [0x30, 0x39]), 0, 31),
  );
}

interface Containers {
  object: Expression;
  array: Expression;
}

function containers(rules: GrammarRules, style: ValueStyle): Containers {
  return rules.shared(`any value ${styleName(style)}`, () => makeContainers(rules, style));
}

function makeContainers(rules: GrammarRules, style: ValueStyle): Containers {
  const text = quotedString(rules, style);
  const flat = [text, anyNumber(), ...[true, false, null].map((value) => constant(value, style))];
  let value = rules.add(choice(...flat));
  let object: Expression = EMPTY;
  let array: Expression = EMPTY;
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const member = sequence(style.language === 'loose' ? bareKey() : text, colon(style), value);
    object = rules.add(bracketed('{', member, '}', style));
    array = rules.add(bracketed('[', value, ']', style));
    value = rules.add(choice(...flat, object, array));
  }
  return { object, array };
}

function bracketed(open: string, item: Expression, close: string, style: ValueStyle): Expression {
  return sequence(literal(open), optional(sequence(item, repeat(sequence(comma(style), item), 0))), literal(close));
}
