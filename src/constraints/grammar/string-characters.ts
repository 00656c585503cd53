/** Characters inside quoted strings. @module */
import { type CodePointRange, type Expression, characters, choice, literal, repeat, sequence } from './expression.js';
import type { GrammarRules } from './grammar-rules.js';
import { ORDINARY_CHARACTERS } from './reserved-characters.js';
import type { ValueStyle } from './value-style.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The code points of `ranges` that may stand in a JSON string as they are. */
export function plainRanges(ranges: readonly CodePointRange[] = ORDINARY_CHARACTERS): CodePointRange[] {
  let kept = intersectRanges(ranges, ORDINARY_CHARACTERS);
  for (const hole of [
    [0, 0x1f],
    [QUOTE, QUOTE],
    [BACKSLASH, BACKSLASH],
    [0x7f, 0x7f],
  ] as CodePointRange[]) {
    kept = kept.flatMap((range) => without(range, hole));
  }
  return kept;
}

/** One character of a string, written plainly or with an escape. */
export function stringCharacter(rules: GrammarRules, style: ValueStyle): Expression {
  return rules.shared(`string character ${style.language}`, () => makeStringCharacter(rules, style));
}

function makeStringCharacter(rules: GrammarRules, style: ValueStyle): Expression {
  const hexadecimal = characters([0x30, 0x39], [0x41, 0x46], [0x61, 0x66]);
  const ordinary = sequence(
    characters([0x30, 0x39], [0x41, 0x43], [0x45, 0x46], [0x61, 0x63], [0x65, 0x66]),
    repeat(hexadecimal, 3, 3),
  );
  const belowSurrogates = sequence(
    characters([0x44, 0x44], [0x64, 0x64]),
    characters([0x30, 0x37]),
    repeat(hexadecimal, 2, 2),
  );
  const short = style.language === 'python' ? '"\\nrt' : '"\\/bfnrt';
  const escaped = choice(
    characters(...[...short].map((each): CodePointRange => [each.charCodeAt(0), each.charCodeAt(0)])),
    sequence(literal('u'), choice(ordinary, belowSurrogates)),
  );
  return rules.add(choice(characters(...plainRanges()), sequence(literal('\\'), rules.add(escaped))));
}

/** What both lists of ranges have. Both are sorted. */
export function intersectRanges(left: readonly CodePointRange[], right: readonly CodePointRange[]): CodePointRange[] {
  return left.flatMap(([first, last]) =>
    right.flatMap(([from, to]): CodePointRange[] =>
      Math.max(first, from) <= Math.min(last, to) ? [[Math.max(first, from), Math.min(last, to)]] : [],
    ),
  );
}

function without([first, last]: CodePointRange, [from, to]: CodePointRange): CodePointRange[] {
  const parts: CodePointRange[] = [];
  if (first < from) parts.push([first, Math.min(last, from - 1)]);
  if (last > to) parts.push([Math.max(first, to + 1), last]);
  return parts;
}
