/** Functions that every template knows. @module */
import { boundedRange } from './budget.js';
import {
  type Callable,
  type Given,
  isDictionary,
  itemsOf,
  Namespace,
  TemplateError,
  type Value,
  wholeNumber,
} from './values.js';
import { textOf } from './write-values.js';

/** Entries of a dictionary or of pairs, and of named arguments. @throws TemplateError for other values */
function entriesOf({ positional: [source], names }: Given): [Value, Value][] {
  const entries: [Value, Value][] = isDictionary(source)
    ? [...source]
    : itemsOf(source).map((pair) => {
        const [key, value, ...more] = itemsOf(pair);
        if (more.length > 0) throw new TemplateError('a dictionary needs pairs');
        return [key, value];
      });
  return [...entries, ...names];
}

function cycler({ positional }: Given): Value {
  let at = 0;
  const fields = new Map<string, Value>([['current', positional[0]]]);
  const move = (to: number): Value => {
    at = to % positional.length;
    fields.set('current', positional[at]);
    return null;
  };
  fields.set('next', () => {
    const current = positional[at];
    move(at + 1);
    return current;
  });
  fields.set('reset', () => move(0));
  return new Namespace(fields);
}

function joiner({ positional: [separator = ', '] }: Given): Value {
  let isFirst = true;
  return () => {
    const text = isFirst ? '' : textOf(separator);
    isFirst = false;
    return text;
  };
}

export const FUNCTIONS: Readonly<Record<string, Callable>> = {
  cycler,
  dict: (given) => new Map(entriesOf(given)),
  joiner,
  namespace: (given) => new Namespace(new Map(entriesOf(given).map(([key, value]) => [textOf(key), value]))),
  range: ({ positional }) => boundedRange(positional.map(wholeNumber)),
  strftime_now: ({ positional: [format] }) => formatTime(textOf(format), new Date()),
};

/** Python's `strftime` in English, as far as templates use it. A dash drops the leading zero. */
function formatTime(format: string, time: Date): string {
  const name = (options: Intl.DateTimeFormatOptions): string => time.toLocaleDateString('en-US', options);
  const [hours, year] = [time.getHours(), time.getFullYear()];
  const dayOfYear = (Date.UTC(year, time.getMonth(), time.getDate()) - Date.UTC(year, 0, 0)) / 86_400_000;
  const numbers: Readonly<Record<string, readonly [value: number, digits: number]>> = {
    Y: [year, 4],
    y: [year % 100, 2],
    m: [time.getMonth() + 1, 2],
    d: [time.getDate(), 2],
    j: [dayOfYear, 3],
    H: [hours, 2],
    I: [hours % 12 || 12, 2],
    M: [time.getMinutes(), 2],
    S: [time.getSeconds(), 2],
  };
  const words: Readonly<Record<string, string>> = {
    A: name({ weekday: 'long' }),
    a: name({ weekday: 'short' }),
    B: name({ month: 'long' }),
    b: name({ month: 'short' }),
    p: hours < 12 ? 'AM' : 'PM',
    '%': '%',
  };
  return format.replaceAll(/%(-?)([A-Za-z%])/g, (code, dash: string, letter: string) => {
    const [value, digits] = numbers[letter] ?? [];
    if (value === undefined) return words[letter] ?? code;
    return dash === '' ? String(value).padStart(digits ?? 0, '0') : String(value);
  });
}
