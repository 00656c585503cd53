/** Quoted strings. @module */
import { type CodePointRange, type Expression, characters, choice, literal, repeat, sequence } from './expression.js';
import type { GrammarRules } from './grammar-rules.js';
import { ORDINARY_CHARACTERS, excludeRanges } from './reserved-characters.js';
import { type PlainStrings, type ValueStyle, styleName } from './value-style.js';

/** Characters that may stand in a JSON string as they are. */
export const PLAIN_CHARACTERS: readonly CodePointRange[] = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0x7e],
  [0x80, 0x10_ffff],
];

/** Each counted character is a rule, which costs time per token of the vocabulary; longer strings go without escapes. */
const COUNTED_WITH_ESCAPES = 128;

/**
 * A string of `min` to `max` characters (`max` undefined: any number) in quotes. The rules are cut so that the engine
 * can prepare nearly all masks in advance: an escape inside a repeated choice would cost milliseconds per token.
 */
export function quotedString(rules: GrammarRules, style: ValueStyle, min = 0, max?: number): Expression {
  const { lengths } = rules;
  const isLong = lengths !== undefined && (max ?? min) > lengths.most;
  if (isLong && lengths.longer === 'open') {
    rules.hasOpenLengths = true;
    return quotedString(rules, style);
  }
  const { strings } = style;
  return rules.shared(`string ${styleName(style)} ${min} ${max}`, () =>
    rules.add(
      strings
        ? plainString(rules, strings, min, max)
        : sequence(literal('"'), isLong ? counted(rules, style, min, max) : content(rules, style, min, max)),
    ),
  );
}

/** As many characters as are allowed, each as it is or escaped: short to write, slow to make masks from. */
function counted(rules: GrammarRules, style: ValueStyle, min: number, max: number | undefined): Expression {
  const character = rules.add(choice(characters(...PLAIN_CHARACTERS), escapeSequence(rules, style)));
  return sequence(repeat(character, min, max), literal('"'));
}

/** Characters of strings without escapes whose length or pattern counts: none that could begin what closes them. */
export const PLAIN_STRING_CHARACTERS = excludeRanges(ORDINARY_CHARACTERS, ['<', '\n', '\r']);

function plainString(
  rules: GrammarRules,
  { open, close, stops }: PlainStrings,
  min: number,
  max: number | undefined,
): Expression {
  if (min === 0 && max === undefined) return sequence(literal(open), rules.add({ type: 'text-until', stops }));
  return sequence(literal(open), repeat(characters(...PLAIN_STRING_CHARACTERS), min, max), literal(close));
}

function content(rules: GrammarRules, style: ValueStyle, min: number, max: number | undefined): Expression {
  const plain = characters(...PLAIN_CHARACTERS);
  const escape = escapeSequence(rules, style);
  const quote = literal('"');
  if (max === undefined) {
    const free = sequence(repeat(sequence(repeat(plain, 0), escape), 0), repeat(plain, 0), quote);
    return min === 0 ? free : sequence(repeat(plain, min, min), free);
  }
  if (max > COUNTED_WITH_ESCAPES) return sequence(repeat(plain, min, max), quote);
  return sequence(repeat(plain, min, min), upTo(rules, style, max - min));
}

/** At most so many characters and the quote. All strings share these rules. */
function upTo(rules: GrammarRules, style: ValueStyle, room: number): Expression {
  const quote = literal('"');
  if (room === 0) return quote;
  return rules.shared(`up to ${style.language} ${room}`, () => {
    const rest = upTo(rules, style, room - 1);
    return rules.add(
      choice(quote, sequence(characters(...PLAIN_CHARACTERS), rest), sequence(escapeSequence(rules, style), rest)),
    );
  });
}

/** A backslash and what may follow it; a pair of surrogates counts as one character, as it does in JSON Schema. */
function escapeSequence(rules: GrammarRules, style: ValueStyle): Expression {
  return rules.shared(`escape ${style.language}`, () => {
    const hexadecimal = characters([0x30, 0x39], [0x41, 0x46], [0x61, 0x66]);
    const short = (style.language === 'python' ? '"\\nrt' : '"\\/bfnrt').split('');
    const ordinary = sequence(
      characters([0x30, 0x39], [0x41, 0x43], [0x45, 0x46], [0x61, 0x63], [0x65, 0x66]),
      repeat(hexadecimal, 3, 3),
    );
    const belowSurrogates = sequence(
      characters([0x44, 0x44], [0x64, 0x64]),
      characters([0x30, 0x37]),
      repeat(hexadecimal, 2, 2),
    );
    const codes = short.map((each): CodePointRange => [each.charCodeAt(0), each.charCodeAt(0)]);
    const after = rules.add(choice(characters(...codes), sequence(literal('u'), choice(ordinary, belowSurrogates))));
    return sequence(literal('\\'), after);
  });
}
