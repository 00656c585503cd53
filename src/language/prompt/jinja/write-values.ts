/** Values as Python writes them: `str`, `repr` and JSON. @module */
import { Float, isDictionary, isList, TemplateError, Tuple, typeName, type Value } from './values.js';

/** `str(value)`; nothing for what is undefined. @throws TemplateError for what has no text that could be meant */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : representation(value);
}

/** `repr(value)`, as values stand in lists and dictionaries. */
export function representation(value: Value): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return wholeText(value);
  if (value === null) return 'None';
  if (value === undefined) return 'Undefined';
  if (value instanceof Float) return floatText(value.number);
  if (isList(value)) {
    const items = Array.from(value, representation).join(', ');
    if (!(value instanceof Tuple)) return `[${items}]`;
    return value.length === 1 ? `(${items},)` : `(${items})`;
  }
  if (isDictionary(value))
    return `{${[...value].map(([key, item]) => `${representation(key)}: ${representation(item)}`).join(', ')}}`;
  // Python would write where in its memory the thing lies.
  throw new TemplateError(`a ${typeName(value)} cannot be written`);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** What Python writes as an escape. Characters of private use stay: one of them marks what a client wrote, and must be found again. */
const UNPRINTABLE = /[\\\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

function escapeOf(character: string): string {
  const code = character.codePointAt(0)!;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** In single quotes, except where these alone stand in the text. */
function quoted(plain: string): string {
  const quote = plain.includes("'") && !plain.includes('"') ? '"' : "'";
  const escaped = plain.replaceAll(UNPRINTABLE, (character) => ESCAPES[character] ?? escapeOf(character));
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

/** All digits of a whole number, where JavaScript would round them or write an exponent. */
function wholeText(number: number): string {
  return Number.isInteger(number) ? String(BigInt(number)) : String(number);
}

/** As short as the number allows; with an exponent from 10^16 on and below 10^-4. */
function floatText(number: number): string {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'nan' : number < 0 ? '-inf' : 'inf';
  if (Object.is(number, -0)) return '-0.0';
  const size = Math.abs(number);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    const [digits, exponent = ''] = number.toExponential().split('e');
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
  }
  return Number.isInteger(number) ? number.toFixed(1) : String(number);
}

/** A number with so many digits behind the point; half goes to even, as in Python. The number counts as it is, not as it is written. */
export function fixedText(number: number, digits: number): string {
  const decimals = Math.min(digits, 100);
  if (Math.abs(number) >= 1e21) return BigInt(number) + (decimals > 0 ? `.${'0'.repeat(decimals)}` : '');
  // Only a whole number of these parts can lie between two others.
  const mayBeHalf = decimals < 100 && Number.isInteger(number * 2 ** (decimals + 1));
  const longer = mayBeHalf ? number.toFixed(decimals + 1) : '';
  const isHalfBehindEven = /[02468]\.?5$/.test(longer);
  return isHalfBehindEven ? longer.slice(0, decimals === 0 ? -2 : -1) : number.toFixed(decimals);
}

export interface JsonOptions {
  /** Spaces of a level, or the text that stands for them. */
  indent: string | undefined;
  separators: readonly [item: string, key: string];
  ascii: boolean;
  sorted: boolean;
}

/** `json.dumps(value)` @throws TemplateError for what JSON cannot hold */
export function jsonText(value: Value, options: JsonOptions, margin = '\n'): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return jsonString(value, options);
  if (typeof value === 'number') return wholeText(value);
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Float) return floatText(value.number).replace('nan', 'NaN').replace('inf', 'Infinity');
  const inner = options.indent === undefined ? '' : margin + options.indent;
  const enclosed = (open: string, items: readonly string[], close: string): string => {
    if (items.length === 0) return open + close;
    const last = options.indent === undefined ? '' : margin;
    return open + inner + items.join(options.separators[0] + inner) + last + close;
  };
  if (isList(value))
    return enclosed(
      '[',
      Array.from(value, (item) => jsonText(item, options, inner)),
      ']',
    );
  if (!isDictionary(value)) throw new TemplateError(`Object of type ${typeName(value)} is not JSON serializable`);
  const entries = [...value].map(([key, item]) => [jsonKey(key), item] as const);
  if (options.sorted) entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const written = entries.map(
    ([key, item]) => jsonString(key, options) + options.separators[1] + jsonText(item, options, inner),
  );
  return enclosed('{', written, '}');
}

function jsonKey(key: Value): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'boolean' || typeof key === 'number' || key === null) return String(key);
  if (key instanceof Float) return floatText(key.number);
  throw new TemplateError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

/** Characters of private use stay: one of them marks what a client wrote, and must be found again. */
function jsonString(text: string, { ascii }: JsonOptions): string {
  const json = JSON.stringify(text);
  if (!ascii) return json;
  return json.replaceAll(
    /[\u007f-\udfff\uf900-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
