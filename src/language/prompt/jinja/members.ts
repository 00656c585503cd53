/** What templates find in a value: its methods, its items, its fields. @module */
import type { Budget } from './budget.js';
import { TEXT_METHODS } from './text-methods.js';
import {
  type Callable,
  characters,
  type Dictionary,
  Float,
  type Given,
  isDictionary,
  isEqual,
  isList,
  keyOf,
  lengthOf,
  Namespace,
  TemplateError,
  Tuple,
  typeName,
  type Value,
  wholeNumber,
} from './values.js';
import { textOf } from './write-values.js';

type Method<Of> = (of: Of, given: Given) => Value;

const pair = (key: Value, item: Value): Tuple => Tuple.from<Value>([key, item]);

const DICTIONARY_METHODS: ReadonlyMap<string, Method<Dictionary>> = new Map<string, Method<Dictionary>>([
  ['copy', (of) => new Map(of)],
  [
    'get',
    (of, { positional: [key, otherwise = null] }) => {
      const value = of.get(keyOf(key));
      return value === undefined && !of.has(keyOf(key)) ? otherwise : value;
    },
  ],
  ['items', (of) => [...of].map(([key, item]) => pair(key, item))],
  ['keys', (of) => [...of.keys()]],
  ['values', (of) => [...of.values()]],
  [
    'pop',
    (of, { positional: [key, otherwise] }) => {
      const value = of.get(keyOf(key)) ?? otherwise;
      of.delete(keyOf(key));
      return value;
    },
  ],
  [
    'setdefault',
    (of, { positional: [key, value = null] }) => {
      if (!of.has(keyOf(key))) of.set(keyOf(key), value);
      return of.get(keyOf(key));
    },
  ],
  [
    'update',
    (of, { positional: [other], names }) => {
      if (other !== undefined && !isDictionary(other)) throw new TemplateError('update() takes a dictionary');
      for (const [key, item] of [...(other ?? []), ...names]) of.set(key, item);
      return null;
    },
  ],
]);

const LIST_METHODS: ReadonlyMap<string, Method<Value[]>> = new Map<string, Method<Value[]>>([
  [
    'append',
    (of, { positional: [item] }) => {
      of.push(item);
      return null;
    },
  ],
  ['copy', (of) => [...of]],
  ['count', (of, { positional: [item] }) => of.filter((each) => isEqual(each, item)).length],
  [
    'extend',
    (of, { positional: [items] }) => {
      if (isList(items)) of.push(...items);
      return null;
    },
  ],
  [
    'index',
    (of, { positional: [item] }) => {
      const index = of.findIndex((each) => isEqual(each, item));
      if (index < 0) throw new TemplateError('the item is not in the list');
      return index;
    },
  ],
  [
    'insert',
    (of, { positional: [index, item] }) => {
      of.splice(wholeNumber(index), 0, item);
      return null;
    },
  ],
  ['pop', (of, { positional: [index = -1] }) => of.splice(wholeNumber(index), 1)[0]],
]);

/** Finds members, and lets no method make more than a rendering may hold. */
export class Members {
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** `object.name`: a method before a key of this name. @throws TemplateError for what is undefined */
  attribute(object: Value, name: string): Value {
    const method = this.#method(object, name);
    return method ?? this.#item(object, name);
  }

  /** `object[key]`: a key before a method of this name. @throws TemplateError for what is undefined */
  item(object: Value, key: Value): Value {
    if (typeof key !== 'string') return this.#item(object, key);
    const found = this.#item(object, key);
    const isHeld = found !== undefined || (isDictionary(object) && object.has(key));
    return isHeld ? found : this.#method(object, key);
  }

  #item(object: Value, key: Value): Value {
    if (object === undefined) throw new TemplateError(`an undefined value has no member '${textOf(key)}'`);
    if (isDictionary(object)) return isList(key) || isDictionary(key) ? undefined : object.get(keyOf(key));
    if (object instanceof Namespace) return typeof key === 'string' ? object.fields.get(key) : undefined;
    if (typeof key !== 'number' && typeof key !== 'boolean') return undefined;
    if (typeof object === 'string') return characters(object).at(Number(key));
    return isList(object) ? object.at(Number(key)) : undefined;
  }

  #method(object: Value, name: string): Callable | undefined {
    if (typeof object === 'string') {
      const method = TEXT_METHODS.get(name);
      return method && ((given) => method(object, given, this.#budget));
    }
    if (isDictionary(object)) {
      const method = DICTIONARY_METHODS.get(name);
      return method && ((given) => method(object, given));
    }
    if (isList(object)) {
      const method = LIST_METHODS.get(name);
      return method && ((given) => this.#changed(object, method(object as Value[], given)));
    }
    if (object instanceof Float && name === 'is_integer') return () => Number.isInteger(object.number);
    return undefined;
  }

  #changed(list: readonly Value[], result: Value): Value {
    this.#budget.items(list.length);
    return result;
  }

  /** `object[start:stop:step]` @throws TemplateError */
  slice(object: Value, bounds: readonly Value[]): Value {
    if (object === undefined) throw new TemplateError('an undefined value has no parts');
    if (typeof object !== 'string' && !isList(object))
      throw new TemplateError(`'${typeName(object)}' object is not subscriptable`);
    const indices = sliceIndices(lengthOf(object), bounds);
    if (typeof object === 'string') {
      const all = characters(object);
      return indices.map((index) => all[index]).join('');
    }
    const items = indices.map((index) => object[index]);
    return object instanceof Tuple ? Tuple.from(items) : items;
  }
}

/** The indices that Python's slice takes. @throws TemplateError for a step of 0 */
function sliceIndices(length: number, bounds: readonly Value[]): number[] {
  const [start, stop, step = 1] = bounds.map((bound) =>
    bound === undefined || bound === null ? undefined : wholeNumber(bound),
  );
  if (step === 0) throw new TemplateError('slice step cannot be zero');
  const [lowest, highest] = step > 0 ? [0, length] : [-1, length - 1];
  const within = (bound: number): number => Math.min(highest, Math.max(lowest, bound < 0 ? bound + length : bound));
  const first = start === undefined ? (step > 0 ? lowest : highest) : within(start);
  const end = stop === undefined ? (step > 0 ? highest : lowest) : within(stop);
  const count = Math.max(0, Math.ceil((end - first) / step));
  return Array.from({ length: count }, (_, index) => first + index * step);
}
