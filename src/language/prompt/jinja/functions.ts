/** Functions that every template knows. @module */
import { boundedRange } from './budget.js';
import { formatTime } from './format-time.js';
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
