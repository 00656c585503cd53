/** Methods of Python's `str`. @module */
import { parametersOf } from './arguments.js';
import type { Budget } from './budget.js';
import { formatFields } from './format-text.js';
import {
  characters,
  type Given,
  itemsOf,
  lengthOf,
  TemplateError,
  Tuple,
  typeName,
  type Value,
  wholeNumber,
} from './values.js';

/** What `repr` writes as an escape, but for the backslash. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Co}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

type TextMethod = (text: string, given: Given, budget: Budget) => Value;

// What Python's `isspace` holds of; JavaScript's set differs by a few.
const SPACE = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const LEADING_SPACE = new RegExp(`^${SPACE}+`);
const SPACES = new RegExp(`${SPACE}+`);
// eslint-disable-next-line no-control-regex
const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

/** @param marks each of which is removed from the ends; without them, spaces are */
export function stripped(text: string, marks: Value, ends: 'both' | 'start' | 'end' = 'both'): string {
  const [atStart, atEnd] = [ends !== 'end', ends !== 'start'];
  if (marks === undefined || marks === null) {
    const start = atStart ? text.replace(LEADING_SPACE, '') : text;
    return atEnd ? withoutTrailingSpace(start) : start;
  }
  const set = new Set(characters(textArgument(marks)));
  const all = characters(text);
  let [start, end] = [0, all.length];
  if (atStart) while (start < end && set.has(all[start]!)) start += 1;
  if (atEnd) while (start < end && set.has(all[end - 1]!)) end -= 1;
  return all.slice(start, end).join('');
}

const ONE_SPACE = new RegExp(SPACE);

/** A pattern for the end would be tried at every space of the text. */
function withoutTrailingSpace(text: string): string {
  let end = text.length;
  while (end > 0 && ONE_SPACE.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** The lines without what ends them. */
export function linesOf(text: string, keepEnds = false): string[] {
  const lines: string[] = [];
  let from = 0;
  for (const { 0: end, index } of text.matchAll(LINE_END)) {
    lines.push(text.slice(from, keepEnds ? index + end.length : index));
    from = index + end.length;
  }
  return from < text.length ? [...lines, text.slice(from)] : lines;
}

/** @throws TemplateError for another type */
function textArgument(value: Value): string {
  if (typeof value === 'string') return value;
  throw new TemplateError(`must be str, not ${typeName(value)}`);
}

export function replaced(text: string, given: Given, budget: Budget): string {
  const [old, other, count] = parametersOf(given, 'old', 'new', 'count');
  const [from, to] = [textArgument(old), textArgument(other)];
  const limit = count === undefined || count === null || wholeNumber(count) < 0 ? Infinity : wholeNumber(count);
  const occurrences = from === '' ? lengthOf(text) + 1 : text.split(from).length - 1;
  budget.characters(text.length + Math.min(occurrences, limit) * Math.max(0, to.length - from.length));
  let done = 0;
  const next = (found: string): string => (done++ < limit ? to : found);
  if (from !== '') return text.replaceAll(from, next);
  const parts = characters(text).flatMap((character) => [next(''), character]);
  return parts.join('') + next('');
}

/** @param most parts that are cut off */
function split(text: string, given: Given, side: 'start' | 'end'): string[] {
  const [mark, maxsplit] = parametersOf(given, 'sep', 'maxsplit');
  const most = maxsplit === undefined || wholeNumber(maxsplit) < 0 ? Infinity : wholeNumber(maxsplit);
  if (mark === undefined || mark === null) return splitAtSpace(text, most, side);
  const separator = textArgument(mark);
  if (separator === '') throw new TemplateError('empty separator');
  const parts = text.split(separator);
  if (parts.length - 1 <= most) return parts;
  return side === 'end'
    ? [parts.slice(0, parts.length - most).join(separator), ...parts.slice(parts.length - most)]
    : [...parts.slice(0, most), parts.slice(most).join(separator)];
}

function splitAtSpace(text: string, most: number, side: 'start' | 'end'): string[] {
  const plain = stripped(text, undefined);
  if (plain === '') return [];
  const words = plain.split(SPACES);
  if (words.length <= most) return words;
  const taken = side === 'end' ? words.slice(words.length - most) : words.slice(0, most);
  let rest = stripped(text, undefined, side);
  for (const word of side === 'end' ? taken.toReversed() : taken)
    rest = stripped(side === 'end' ? rest.slice(0, -word.length) : rest.slice(word.length), undefined, side);
  return side === 'end' ? [rest, ...taken] : [...taken, rest];
}

function begins(text: string, { positional }: Given, test: (part: string, of: string) => boolean): boolean {
  const [parts, ...range] = positional;
  const within = sliced(text, range);
  const list = parts instanceof Tuple ? parts : [parts];
  return list.some((part) => test(textArgument(part), within));
}

function sliced(text: string, [start, end]: readonly Value[]): string {
  if (start === undefined && end === undefined) return text;
  return characters(text)
    .slice(
      start === undefined || start === null ? 0 : wholeNumber(start),
      end === undefined || end === null ? undefined : wholeNumber(end),
    )
    .join('');
}

function offsetOf(text: string, { positional: [part, ...range] }: Given, side: 'start' | 'end'): number {
  const within = sliced(text, range);
  const found = side === 'end' ? within.lastIndexOf(textArgument(part)) : within.indexOf(textArgument(part));
  if (found < 0) return -1;
  const first = range[0] === undefined || range[0] === null ? 0 : wholeNumber(range[0]);
  return lengthOf(within.slice(0, found)) + (first < 0 ? Math.max(0, lengthOf(text) + first) : first);
}

function partition(text: string, { positional: [mark] }: Given, side: 'start' | 'end'): Value[] {
  const separator = textArgument(mark);
  const found = side === 'end' ? text.lastIndexOf(separator) : text.indexOf(separator);
  if (found < 0) return Tuple.from<Value>(side === 'end' ? ['', '', text] : [text, '', '']);
  return Tuple.from<Value>([text.slice(0, found), separator, text.slice(found + separator.length)]);
}

function padded(
  text: string,
  { positional: [width, fill = ' '] }: Given,
  budget: Budget,
): { missing: number; fill: string } {
  budget.characters(wholeNumber(width));
  return { missing: Math.max(0, wholeNumber(width) - lengthOf(text)), fill: textArgument(fill) };
}

const whole =
  (pattern: RegExp): TextMethod =>
  (text) =>
    pattern.test(text);

/** Two letters in one, by their small form. */
const DIGRAPHS = new Map(
  ['ǆǅǄ', 'ǉǈǇ', 'ǌǋǊ', 'ǳǲǱ'].flatMap((forms) => Array.from(forms, (each) => [each, forms[1]!] as const)),
);

/** A letter as words begin with it: of what becomes several letters, only the first is large. */
function titleCase(letter: string): string {
  const digraph = DIGRAPHS.get(letter);
  if (digraph !== undefined) return digraph;
  // Georgian has no such letters; those of Greek with an iota below are one character.
  if (/[\u10d0-\u10fa\u10fd-\u10ff]/.test(letter)) return letter;
  if (/[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]/.test(letter)) return String.fromCharCode(letter.charCodeAt(0) + 8);
  if (/[\u1fb3\u1fc3\u1ff3]/.test(letter)) return String.fromCharCode(letter.charCodeAt(0) + 9);
  const [first = '', ...rest] = Array.from(letter.toUpperCase());
  return letter === 'ŉ' ? first + rest.join('') : first + rest.join('').toLowerCase();
}

export function capitalized(text: string): string {
  const [first = '', ...rest] = Array.from(text);
  return titleCase(first) + rest.join('').toLowerCase();
}

/** Up to the next column that is a multiple of the size. */
const expandTabs: TextMethod = (text, given, budget) => {
  const size = wholeNumber(parametersOf(given, 'tabsize')[0] ?? 8);
  budget.characters(text.length + (text.split('\t').length - 1) * Math.max(0, size));
  let column = 0;
  return characters(text)
    .map((character) => {
      if (character !== '\t') {
        column = /[\n\r]/.test(character) ? 0 : column + 1;
        return character;
      }
      const spaces = size > 0 ? size - (column % size) : 0;
      column += spaces;
      return ' '.repeat(spaces);
    })
    .join('');
};

/** A letter as it is compared: large and small forms are one, and so are `ß` and `ss`. The dotless i has no other form. */
const folded = (letter: string): string => (letter === 'ı' ? letter : letter.toUpperCase().toLowerCase());

/** Each word begins with a large letter, and has no other; there is one. */
function isTitle(text: string): boolean {
  const words = text.match(/\p{Cased}+/gu) ?? [];
  return words.length > 0 && words.every((word) => word === capitalized(word));
}

const upper: TextMethod = (text) => text.toUpperCase();
const lower: TextMethod = (text) => text.toLowerCase();

/** Methods by name. */
export const TEXT_METHODS: ReadonlyMap<string, TextMethod> = new Map<string, TextMethod>([
  ['capitalize', capitalized],
  ['casefold', (text) => Array.from(text, folded).join('')],
  [
    'center',
    (text, given, budget) => {
      const { missing, fill } = padded(text, given, budget);
      const before = Math.floor(missing / 2) + (missing & wholeNumber(given.positional[0]) & 1);
      return fill.repeat(before) + text + fill.repeat(missing - before);
    },
  ],
  [
    'count',
    (text, { positional: [part, ...range] }) => {
      const within = sliced(text, range);
      const counted = textArgument(part);
      return counted === '' ? lengthOf(within) + 1 : within.split(counted).length - 1;
    },
  ],
  ['endswith', (text, given) => begins(text, given, (part, of) => of.endsWith(part))],
  ['expandtabs', expandTabs],
  ['find', (text, given) => offsetOf(text, given, 'start')],
  ['format', (text, given, budget) => formatFields(text, given, budget)],
  ['index', (text, given) => found(offsetOf(text, given, 'start'))],
  ['isalnum', whole(/^[\p{L}\p{N}]+$/u)],
  ['isalpha', whole(/^\p{L}+$/u)],
  ['isascii', whole(/^[\0-\x7f]*$/)],
  ['isdecimal', whole(/^\p{Nd}+$/u)],
  ['isdigit', whole(/^[\p{Nd}\u00b2\u00b3\u00b9]+$/u)],
  ['isidentifier', whole(/^[\p{XID_Start}_]\p{XID_Continue}*$/u)],
  ['islower', (text) => text === text.toLowerCase() && text !== text.toUpperCase()],
  ['isnumeric', whole(/^\p{N}+$/u)],
  ['isprintable', (text) => !UNPRINTABLE.test(text)],
  ['isspace', whole(new RegExp(`^${SPACE}+$`))],
  ['istitle', isTitle],
  ['isupper', (text) => text === text.toUpperCase() && text !== text.toLowerCase()],
  [
    'join',
    (text, { positional: [list] }, budget) => {
      const parts = itemsOf(list).map(textArgument);
      budget.characters(parts.reduce((sum, part) => sum + part.length + text.length, 0));
      return parts.join(text);
    },
  ],
  [
    'ljust',
    (text, given, budget) => {
      const { missing, fill } = padded(text, given, budget);
      return text + fill.repeat(missing);
    },
  ],
  ['lower', lower],
  ['lstrip', (text, { positional: [marks] }) => stripped(text, marks, 'start')],
  ['partition', (text, given) => partition(text, given, 'start')],
  [
    'removeprefix',
    (text, { positional: [part] }) =>
      text.startsWith(textArgument(part)) ? text.slice(textArgument(part).length) : text,
  ],
  [
    'removesuffix',
    (text, { positional: [part] }) =>
      part !== '' && text.endsWith(textArgument(part)) ? text.slice(0, -textArgument(part).length) : text,
  ],
  ['replace', replaced],
  ['rfind', (text, given) => offsetOf(text, given, 'end')],
  ['rindex', (text, given) => found(offsetOf(text, given, 'end'))],
  [
    'rjust',
    (text, given, budget) => {
      const { missing, fill } = padded(text, given, budget);
      return fill.repeat(missing) + text;
    },
  ],
  ['rpartition', (text, given) => partition(text, given, 'end')],
  ['rsplit', (text, given) => split(text, given, 'end')],
  ['rstrip', (text, { positional: [marks] }) => stripped(text, marks, 'end')],
  ['split', (text, given) => split(text, given, 'start')],
  ['splitlines', (text, given) => linesOf(text, Boolean(parametersOf(given, 'keepends')[0]))],
  ['startswith', (text, given) => begins(text, given, (part, of) => of.startsWith(part))],
  ['strip', (text, { positional: [marks] }) => stripped(text, marks)],
  [
    'swapcase',
    (text) =>
      Array.from(text, (each) => (each === each.toUpperCase() ? each.toLowerCase() : each.toUpperCase())).join(''),
  ],
  ['title', (text) => text.replaceAll(/\p{Cased}+/gu, capitalized)],
  ['upper', upper],
  [
    'zfill',
    (text, { positional: [width] }, budget) => {
      budget.characters(wholeNumber(width));
      const sign = /^[-+]?/.exec(text)![0];
      return sign + '0'.repeat(Math.max(0, wholeNumber(width) - lengthOf(text))) + text.slice(sign.length);
    },
  ],
]);

function found(at: number): number {
  if (at < 0) throw new TemplateError('substring not found');
  return at;
}
