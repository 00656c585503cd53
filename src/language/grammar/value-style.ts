/** How a model writes data: JSON with or without blanks, or Python literals. @module */
import { type Expression, NEVER, literal, optional, sequence } from './expression.js';
import { isReserved } from './reserved-characters.js';

export interface ValueStyle {
  /** `json`; `python` (True, False, None); `loose`: JSON with bare keys. Strings in quotes with escapes, unless `strings` says otherwise. */
  language: 'json' | 'python' | 'loose';
  /** `compact`: never a blank; `spaced`: one blank is allowed after a comma and a colon. More never, so no model can loop on blanks. */
  spacing: 'compact' | 'spaced';
  /** Set where strings stand between marks of the family's own, as they are. */
  strings?: PlainStrings;
}

/** Strings without escapes: their text goes on to what closes it. */
export interface PlainStrings {
  open: string;
  close: string;
  /** All spellings of what closes a string. */
  stops: readonly string[];
}

/** How grammars that were made for a style are told from those of another. */
export function styleName({ language, spacing, strings }: ValueStyle): string {
  return `${language} ${spacing} ${strings ? `${strings.open}…${strings.close}` : ''}`;
}

/** A key of an object and what stands before its value; NEVER for a name that cannot be written without quotes. */
export function objectKey(name: string, style: ValueStyle): Expression {
  if (style.language !== 'loose') return sequence(literal(JSON.stringify(name)), colon(style));
  return isBareKey(name) ? sequence(literal(name), colon(style)) : NEVER;
}

/** A known string in this style; NEVER when its text would close it. */
export function constantString(value: string, { strings }: ValueStyle): Expression {
  if (!strings) return literal(JSON.stringify(value));
  const isWritable =
    !strings.stops.some((stop) => value.includes(stop)) && !Array.from(value).some(isReservedCharacter);
  return isWritable ? literal(`${strings.open}${value}${strings.close}`) : NEVER;
}

function isReservedCharacter(character: string): boolean {
  return isReserved(character.codePointAt(0) ?? 0);
}

function isBareKey(name: string): boolean {
  return /^[\w$ -]+$/.test(name) && name.trim() === name;
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
      objectKey(key, style),
      constant(item, style),
    ]);
    return sequence(literal('{'), ...parts, literal('}'));
  }
  if (style.language === 'python' && (value === null || typeof value === 'boolean')) {
    return literal(value === null ? 'None' : value ? 'True' : 'False');
  }
  return typeof value === 'string' ? constantString(value, style) : literal(JSON.stringify(value) ?? 'null');
}

function punctuation(mark: string, style: ValueStyle): Expression {
  return style.spacing === 'compact' ? literal(mark) : sequence(literal(mark), optional(literal(' ')));
}

/** How an object's members are written around the value's grammar: JSON members, Python's keywords, elements of XML. */
export interface ObjectFrame {
  open: string;
  close: string;
  /** Between two members; absent: the comma of the style. */
  separator?: Expression;
  /** Key and what stands between it and the value; NEVER when this name cannot be written. */
  key: (name: string) => Expression;
  /** Whether names that no schema lists can be written. */
  extraKeys: boolean;
  /**
   * Set where a member that is a string stands as plain text, and every value is followed by what closes it. `otherOpen`
   * stands before values of other types.
   */
  text?: PlainStrings & { otherOpen?: string };
}
