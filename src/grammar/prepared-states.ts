/** What a grammar costs the engine before the first token: masks for every place in it. @module */
import type { CodePointRange, Expression } from './expression.js';

/** The engine writes out repetitions up to about so many times; longer ones it counts. */
const WRITTEN_OUT = 256;

/**
 * Places of an expression, each weighted by how many characters, and so how many tokens, may follow there. One is some
 * tens of microseconds.
 */
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
    case 'rule':
      return 1;
    case 'text-until':
      return expression.stops.reduce((states, stop) => states + stop.length, 1);
    case 'triggered-text':
      return expression.triggers.reduce((states, { text }) => states + text.length, 1);
  }
}

const sum = (parts: readonly Expression[]): number => parts.reduce((states, part) => states + preparedStates(part), 0);

/** Characters of ASCII that weigh as much as one character alone. */
const CHARACTERS = 16;

function weightOf(ranges: readonly CodePointRange[]): number {
  const ascii = ranges.reduce((count, [first, last]) => count + Math.max(0, Math.min(last, 0x7f) - first + 1), 0);
  return 1 + Math.floor(ascii / CHARACTERS);
}
