/** Values of the template library as Python writes them. @module */
import type { Interpreter } from '@huggingface/jinja';

/** A value of the library's: text, number, list … */
export type Value = ReturnType<Interpreter['evaluate']>;

/** A whole number as it is, all others as the text that Python writes. */
export function plain(value: Value | string): string | number {
  if (typeof value !== 'string' && typeof value.value === 'number' && value.type === 'IntegerValue') return value.value;
  return typeof value === 'string' ? value : pythonText(value);
}

/** The items of a list, the characters of a text. */
export function itemsOf({ value }: Value): readonly (Value | string)[] {
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return [...value.keys()];
  return typeof value === 'string' ? Array.from(value) : [];
}

/** `str(value)`, as templates write values; nothing for what is undefined. */
export function pythonText(value: Value | string): string {
  if (typeof value === 'string') return value;
  if (value.type === 'UndefinedValue') return '';
  return typeof value.value === 'string' ? value.value : pythonRepresentation(value);
}

/** `repr(value)`, as values stand in lists and objects. */
function pythonRepresentation(value: Value): string {
  const { type, value: plain } = value as { type: string; value: unknown };
  if (typeof plain === 'string') return quoted(plain);
  if (typeof plain === 'boolean') return plain ? 'True' : 'False';
  if (type === 'NullValue') return 'None';
  if (plain === undefined) return 'Undefined';
  if (Array.isArray(plain)) {
    const items = (plain as Value[]).map(pythonRepresentation);
    return type === 'TupleValue' ? `(${items.join(', ')})` : `[${items.join(', ')}]`;
  }
  if (!(plain instanceof Map)) return String(value);
  const entries = [...(plain as Map<string, Value>)];
  return `{${entries.map(([key, item]) => `${quoted(key)}: ${pythonRepresentation(item)}`).join(', ')}}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** In single quotes, except where these alone stand in the text. */
function quoted(plain: string): string {
  const quote = plain.includes("'") && !plain.includes('"') ? '"' : "'";
  // eslint-disable-next-line no-control-regex
  const escaped = plain.replaceAll(/[\\\u0000-\u001f\u007f-\u00a0\u00ad]/g, (character) => {
    return ESCAPES[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}
