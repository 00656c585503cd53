/** How a model writes data: JSON with or without blanks, or Python literals. @module */
import { type Expression, literal, optional, sequence } from './expression.js';

export interface ValueStyle {
  /** `json`, or `python` (True, False, None) for pythonic tool calls. */
  language: 'json' | 'python';
  /** `compact`: never a blank; `spaced`: one blank is allowed after a comma and a colon. More never, so no model can loop on blanks. */
  spacing: 'compact' | 'spaced';
}

/** The comma between two items. */
export function comma(style: ValueStyle): Expression {
  return punctuation(',', style);
}

/** The colon between a key and its value. */
export function colon(style: ValueStyle): Expression {
  return punctuation(':', style);
}

/** A known value, spelled in this style. */
export function constant(value: unknown, style: ValueStyle): Expression {
  if (Array.isArray(value)) {
    const parts = value.flatMap((item, index) => [...(index > 0 ? [comma(style)] : []), constant(item, style)]);
    return sequence(literal('['), ...parts, literal(']'));
  }
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value).flatMap(([key, item], index) => [
      ...(index > 0 ? [comma(style)] : []),
      literal(JSON.stringify(key)),
      colon(style),
      constant(item, style),
    ]);
    return sequence(literal('{'), ...parts, literal('}'));
  }
  if (style.language === 'python' && (value === null || typeof value === 'boolean')) {
    return literal(value === null ? 'None' : value ? 'True' : 'False');
  }
  return literal(JSON.stringify(value) ?? 'null');
}

function punctuation(mark: string, style: ValueStyle): Expression {
  return style.spacing === 'compact' ? literal(mark) : sequence(literal(mark), optional(literal(' ')));
}
