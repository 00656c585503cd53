/** What a grammar costs the engine before the first token: masks for every place in it. @module */
import type { CodePointRange, Expression } from './expression.js';

/** The engine writes out repetitions up to about so many times; longer ones it counts. */
const WRITTEN_OUT = 256;

/** What a place costs at which any token may follow; where one character may, it costs 1, which is some 20 µs. */
const ANY_TOKEN = 75;

/** Which part of a usual vocabulary begins with a character of these: beside each other, in ASCII's order. */
const BEGINNINGS: readonly (readonly [first: number, last: number, part: number])[] = [
  [0x00, 0x1f, 0.01],
  [0x20, 0x20, 0.4],
  [0x21, 0x2f, 0.02],
  [0x30, 0x39, 0.01],
  [0x3a, 0x40, 0.01],
  [0x41, 0x5a, 0.12],
  [0x5b, 0x60, 0.01],
  [0x61, 0x7a, 0.28],
  [0x7b, 0x7f, 0.01],
  [0x80, 0x10_ffff, 0.13],
];

/** Places of an expression, weighted by how many tokens of a usual vocabulary have to be looked at there. */
export function preparedStates(expression: Expression): number {
  switch (expression.type) {
    case 'literal':
      return expression.text.length;
    case 'characters':
      return weightOf(expression.ranges);
    case 'sequence':
      return sum(expression.parts);
    case 'choice':
      return sum(expression.options);
    case 'repeat': {
      const { part, min, max = min + 1 } = expression;
      return Math.min(max, WRITTEN_OUT) * preparedStates(part);
    }
    case 'bytes':
    case 'rule':
      return 1;
    case 'text-until':
    case 'triggered-text': {
      const stops = expression.type === 'text-until' ? expression.stops : [];
      const texts = [...stops, ...(expression.triggers ?? []).map(({ text }) => text)];
      return texts.reduce((states, text) => states + text.length, ANY_TOKEN);
    }
  }
}

const sum = (parts: readonly Expression[]): number => parts.reduce((states, part) => states + preparedStates(part), 0);

function weightOf(ranges: readonly CodePointRange[]): number {
  let part = 0;
  for (const [first, last] of ranges) {
    for (const [from, to, ofAll] of BEGINNINGS) {
      const shared = Math.min(last, to) - Math.max(first, from) + 1;
      if (shared > 0) part += (ofAll * shared) / (to - from + 1);
    }
  }
  return 1 + Math.floor(ANY_TOKEN * part);
}
