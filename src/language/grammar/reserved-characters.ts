/**
 * Inside grammars a model's tags that are single tokens (`<tool_call>`, `</think>`) are written as control characters.
 * So a grammar can ask for exactly that token, and free strings, which hold no control characters, never contain it.
 * @module
 */
import type { CodePointRange } from './expression.js';

/** Reserved are 1 to 8 and 14 on, below the blank. */
const CODES = Array.from({ length: 31 }, (_, index) => index + 1).filter((code) => code < 9 || code > 13);

/** Everything that text may hold: tabs, line ends and all from the blank on. */
export const ORDINARY_CHARACTERS: readonly CodePointRange[] = [
  [0x09, 0x0a],
  [0x0d, 0x0d],
  [0x20, 0x10_ffff],
];

/** The ranges without some characters. */
export function excludeRanges(ranges: readonly CodePointRange[], excluded: readonly string[]): CodePointRange[] {
  const codes = excluded.map((each) => each.codePointAt(0) ?? 0).toSorted((a, b) => a - b);
  const kept: CodePointRange[] = [];
  for (const [first, last] of ranges) {
    let from = first;
    for (const code of codes.filter((each) => each >= first && each <= last)) {
      if (code > from) kept.push([from, code - 1]);
      from = code + 1;
    }
    if (from <= last) kept.push([from, last]);
  }
  return kept;
}

/**
 * A character for each of these tags, in order. A vocabulary with more tags than there are characters (families have
 * about five each) leaves the last ones to be spelled.
 */
export function reservedCharacters(tags: readonly string[]): Map<string, string> {
  return new Map(
    CODES.flatMap((code, index) => {
      const tag = tags[index];
      return tag === undefined ? [] : [[tag, String.fromCodePoint(code)] as const];
    }),
  );
}

/** Whether a byte or code point is kept for tags. */
export function isReserved(code: number): boolean {
  return code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d;
}
