/** Jinja's filters of texts, numbers and dictionaries. @module */
import { parametersOf } from './arguments.js';
import { formatPercent } from './format-text.js';
import type { Filter } from './filter.js';
import { LIST_FILTERS } from './list-filters.js';
import { capitalized, linesOf, replaced, stripped } from './text-methods.js';
import {
  compare,
  Float,
  type Given,
  isDictionary,
  isList,
  isTrue,
  itemsOf,
  lengthOf,
  numberOf,
  TemplateError,
  Tuple,
  type Value,
  wholeNumber,
} from './values.js';
import { fixedText, jsonText, textOf } from './write-values.js';

const length: Filter = (value) => lengthOf(value);

const otherwise: Filter = (value, given) => {
  const [instead = '', boolean] = parametersOf(given, 'default_value', 'boolean');
  return value === undefined || (isTrue(boolean) && !isTrue(value)) ? instead : value;
};

const escape: Filter = (value) => {
  const codes: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&#34;',
    "'": '&#39;',
  };
  return textOf(value).replaceAll(/[&<>"']/g, (character) => codes[character]!);
};

const json: Filter = (value, given, { budget }) => {
  const [ascii, indent, separators, sorted] = parametersOf(given, 'ensure_ascii', 'indent', 'separators', 'sort_keys');
  const hasIndent = indent !== undefined && indent !== null;
  if (hasIndent && typeof indent !== 'string') budget.characters(wholeNumber(indent));
  const pair = isList(separators) ? Array.from(separators, textOf) : [hasIndent ? ',' : ', ', ': '];
  return jsonText(value, {
    indent: !hasIndent ? undefined : typeof indent === 'string' ? indent : ' '.repeat(Math.max(0, wholeNumber(indent))),
    separators: [pair[0] ?? ', ', pair[1] ?? ': '],
    ascii: isTrue(ascii),
    sorted: isTrue(sorted),
  });
};

const indent: Filter = (value, given, { budget }) => {
  const [width = 4, first, blank] = parametersOf(given, 'width', 'first', 'blank');
  if (typeof width !== 'string') budget.characters(wholeNumber(width));
  const margin = typeof width === 'string' ? width : ' '.repeat(Math.max(0, wholeNumber(width)));
  const lines = linesOf(`${textOf(value)}\n`);
  budget.characters(lines.length * margin.length);
  const isIndented = (line: string, index: number): boolean =>
    index === 0 ? isTrue(first) : isTrue(blank) || line !== '';
  return lines.map((line, index) => (isIndented(line, index) ? margin + line : line)).join('\n');
};

const toInteger: Filter = (value, given) => {
  const [instead = 0, base = 10] = parametersOf(given, 'default', 'base');
  const number = numberOf(value);
  if (number !== undefined) return Number.isFinite(number) ? Math.trunc(number) : instead;
  if (typeof value !== 'string') return instead;
  const text = stripped(value, undefined).replaceAll(/(?<=[\da-z])_(?=[\da-z])/gi, '');
  const read = wholeOf(text, wholeNumber(base)) ?? floatOf(text);
  return read === undefined || !Number.isFinite(read) ? instead : Math.trunc(read);
};

/** A whole number in a base, with the prefix that Python allows there; undefined: the text is none. */
function wholeOf(text: string, base: number): number | undefined {
  const prefix = { 2: '0b', 8: '0o', 16: '0x' }[base];
  const [, sign = '', written = ''] = /^([-+]?)([a-z\d]+)$/i.exec(text) ?? [];
  const digits = prefix !== undefined && written.toLowerCase().startsWith(prefix) ? written.slice(2) : written;
  const values = Array.from(digits, (digit) => Number.parseInt(digit, 36));
  if (values.length === 0 || values.some((digit) => !(digit < base))) return undefined;
  const size = values.reduce((sum, digit) => sum * base + digit, 0);
  return sign === '-' ? -size : size;
}

function floatOf(text: string): number | undefined {
  // Underscores between digits mean nothing.
  const plain = stripped(text, undefined).replaceAll(/(?<=\d)_(?=\d)/g, '');
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(plain) ? Number(plain) : undefined;
}

const toFloat: Filter = (value, given) => {
  const [instead = new Float(0)] = parametersOf(given, 'default');
  const number = numberOf(value) ?? (typeof value === 'string' ? floatOf(value) : undefined);
  return number === undefined ? instead : new Float(number);
};

const round: Filter = (value, given) => {
  const [precision = 0, method = 'common'] = parametersOf(given, 'precision', 'method');
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError('only numbers can be rounded');
  const scale = 10 ** wholeNumber(precision);
  if (method === 'ceil') return new Float(Math.ceil(number * scale) / scale);
  if (method === 'floor') return new Float(Math.floor(number * scale) / scale);
  const rounded = roundEven(number, wholeNumber(precision));
  return value instanceof Float ? new Float(rounded) : rounded;
};

/** Rounds half to even, as Python does, by the digits that the number has in truth. */
function roundEven(value: number, digits: number): number {
  if (digits > 0) return Number.isFinite(value) ? Number(fixedText(value, digits)) : value;
  const scale = 10 ** -digits;
  const scaled = value / scale;
  const floor = Math.floor(scaled);
  return (scaled - floor === 0.5 ? floor + (Math.abs(floor) % 2) : Math.round(scaled)) * scale;
}

const dictionarySorted: Filter = (value, given) => {
  const [sensitive, by = 'key', reverse] = parametersOf(given, 'case_sensitive', 'by', 'reverse');
  if (!isDictionary(value)) throw new TemplateError('dictsort needs a dictionary');
  const index = by === 'value' ? 1 : 0;
  const folded = (item: Value): Value => (typeof item === 'string' && !isTrue(sensitive) ? item.toLowerCase() : item);
  const entries = [...value].toSorted(
    (a, b) => compare(folded(a[index]), folded(b[index])) * (isTrue(reverse) ? -1 : 1),
  );
  return entries.map((entry) => Tuple.from<Value>(entry));
};

const items: Filter = (value) => {
  if (value === undefined) return [];
  if (!isDictionary(value)) throw new TemplateError('Can only get item pairs from a mapping.');
  return [...value].map((entry) => Tuple.from<Value>(entry));
};

const title: Filter = (value) =>
  textOf(value)
    .split(/([-\s({[<]+)/)
    .map((word) => {
      const [first = '', ...rest] = Array.from(word);
      return first.toUpperCase() + rest.join('').toLowerCase();
    })
    .join('');

const truncate: Filter = (value, given) => {
  const [most = 255, cut, end = '...', leeway = 5] = parametersOf(given, 'length', 'killwords', 'end', 'leeway');
  const all = Array.from(textOf(value));
  if (all.length <= wholeNumber(most) + wholeNumber(leeway)) return all.join('');
  const kept = all.slice(0, Math.max(0, wholeNumber(most) - lengthOf(end))).join('');
  return (isTrue(cut) ? kept : kept.slice(0, Math.max(0, kept.lastIndexOf(' ')) || kept.length)) + textOf(end);
};

/** As Python's `quote` writes it: letters, digits and `_.-~` stay. @param kept what else stays */
function quotedForURL(text: string, kept: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    if (/[\w.~-]/.test(character) || kept.includes(character)) return character;
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** A text, or pairs as the query of a URL. */
const urlEncoded: Filter = (value) => {
  if (!isDictionary(value) && !isList(value)) return quotedForURL(textOf(value), '/');
  const pairs = isDictionary(value) ? [...value] : value.map((pair) => itemsOf(pair));
  const inQuery = (item: Value): string => quotedForURL(textOf(item), '').replaceAll('%20', '+');
  return pairs.map(([key, item]) => `${inQuery(key)}=${inQuery(item)}`).join('&');
};

const ofText =
  (change: (text: string) => Value): Filter =>
  (value) =>
    change(textOf(value));

/** Filters by name. */
export const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ...LIST_FILTERS,
  [
    'abs',
    (value) => {
      const number = numberOf(value);
      if (number === undefined) throw new TemplateError('abs needs a number');
      return value instanceof Float ? new Float(Math.abs(number)) : Math.abs(number);
    },
  ],
  ['attr', (value, { positional: [name] }, { members }) => members.attribute(value, textOf(name))],
  ['capitalize', ofText(capitalized)],
  [
    'center',
    (value, given, { members }) => {
      const [width = 80] = parametersOf(given, 'width');
      const center = members.attribute(textOf(value), 'center');
      return typeof center === 'function' ? center({ positional: [width], names: new Map() }) : undefined;
    },
  ],
  ['count', length],
  ['d', otherwise],
  ['default', otherwise],
  ['dictsort', dictionarySorted],
  ['e', escape],
  ['escape', escape],
  ['float', toFloat],
  ['forceescape', escape],
  [
    'format',
    (value, { positional, names }, { budget }) =>
      formatPercent(textOf(value), names.size > 0 ? new Map(names) : Tuple.from(positional), budget),
  ],
  ['indent', indent],
  ['int', toInteger],
  ['items', items],
  ['length', length],
  ['lower', ofText((text) => text.toLowerCase())],
  ['replace', (value, given, { budget }) => replaced(textOf(value), withTexts(given), budget)],
  ['round', round],
  ['safe', (value) => value],
  ['string', ofText((text) => text)],
  [
    'striptags',
    ofText((text) =>
      stripped(text.replaceAll(/<!--.*?-->|<[^>]*>/gs, ''), undefined)
        .split(/\s+/)
        .join(' '),
    ),
  ],
  ['title', title],
  ['tojson', json],
  ['trim', (value, given) => stripped(textOf(value), parametersOf(given, 'chars')[0])],
  ['truncate', truncate],
  ['upper', ofText((text) => text.toUpperCase())],
  ['urlencode', urlEncoded],
  ['wordcount', ofText((text) => text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0)],
]);

/** As text, what is replaced and what it becomes. */
function withTexts({ positional, names }: Given): Given {
  return { positional: positional.map((value, index) => (index < 2 ? textOf(value) : value)), names };
}
