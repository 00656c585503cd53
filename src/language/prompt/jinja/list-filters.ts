/** Jinja's filters of lists. @module */
import { parametersOf } from './arguments.js';
import type { Filter, FilterTools } from './filter.js';
import { calculate } from './operators.js';
import {
  compare,
  isEqual,
  isTrue,
  itemsOf,
  lengthOf,
  TemplateError,
  Tuple,
  type Value,
  wholeNumber,
} from './values.js';
import { textOf } from './write-values.js';

/** Texts in lower case, because lists are sorted and compared so. */
function folded(value: Value, sensitive: Value): Value {
  return typeof value === 'string' && !isTrue(sensitive) ? value.toLowerCase() : value;
}

/** An attribute, or an attribute of an attribute, with dots between them; without a name the item itself. */
function attributeOf(item: Value, name: Value, { members }: FilterTools, instead?: Value): Value {
  if (name === undefined || name === null) return item;
  const parts = typeof name === 'number' ? [name] : textOf(name).split('.');
  let value = item;
  for (const part of parts) {
    value = members.item(value, typeof part === 'string' && /^\d+$/.test(part) ? Number(part) : part);
    if (value === undefined && instead !== undefined && instead !== null) value = instead;
  }
  return value;
}

const choose =
  ({ byAttribute = false, negated = false }): Filter =>
  (value, { positional, names }, tools) => {
    if (!isTrue(value)) return [];
    const [attribute, rest] = byAttribute ? [positional[0], positional.slice(1)] : [undefined, positional];
    const [test, ...given] = rest;
    return itemsOf(value).filter((item) => {
      const operand = byAttribute ? attributeOf(item, attribute, tools) : item;
      const held =
        test === undefined ? isTrue(operand) : tools.holds(textOf(test), operand, { positional: given, names });
      return held !== negated;
    });
  };

const map: Filter = (value, { positional, names }, tools) => {
  if (!isTrue(value)) return [];
  const [name, ...rest] = positional;
  if (name !== undefined)
    return Array.from(itemsOf(value), (item) => tools.filtered(textOf(name), item, { positional: rest, names }));
  const attribute = names.get('attribute');
  if (attribute === undefined) throw new TemplateError('map requires a filter argument');
  return Array.from(itemsOf(value), (item) => attributeOf(item, attribute, tools, names.get('default')));
};

const sort: Filter = (value, given, tools) => {
  const [reverse, sensitive, attribute] = parametersOf(given, 'reverse', 'case_sensitive', 'attribute');
  const names = typeof attribute === 'string' ? attribute.split(',') : [attribute];
  const keyed = Array.from(itemsOf(value), (item) => ({
    item,
    keys: names.map((name) => folded(attributeOf(item, name, tools), sensitive)),
  }));
  return keyed.toSorted((a, b) => compare(a.keys, b.keys) * (isTrue(reverse) ? -1 : 1)).map(({ item }) => item);
};

const unique: Filter = (value, given, tools) => {
  const [sensitive, attribute] = parametersOf(given, 'case_sensitive', 'attribute');
  const seen: Value[] = [];
  return Array.from(itemsOf(value)).filter((item) => {
    const key = folded(attributeOf(item, attribute, tools), sensitive);
    tools.budget.step();
    if (seen.some((known) => isEqual(known, key))) return false;
    seen.push(key);
    return true;
  });
};

const extreme =
  (sign: number): Filter =>
  (value, given, tools) => {
    const [sensitive, attribute] = parametersOf(given, 'case_sensitive', 'attribute');
    const key = (item: Value): Value => folded(attributeOf(item, attribute, tools), sensitive);
    const [first, ...rest] = itemsOf(value);
    return rest.reduce((best, item) => (compare(key(item), key(best)) * sign > 0 ? item : best), first);
  };

const groups: Filter = (value, given, tools) => {
  const [attribute, instead, sensitive] = parametersOf(given, 'attribute', 'default', 'case_sensitive');
  const keyOf = (item: Value): Value => folded(attributeOf(item, attribute, tools, instead), sensitive);
  const sorted = Array.from(itemsOf(value)).toSorted((a, b) => compare(keyOf(a), keyOf(b)));
  const found: Value[][] = [];
  for (const item of sorted) {
    const last = found.at(-1);
    if (last && isEqual(keyOf(last[0]), keyOf(item))) last.push(item);
    else found.push([item]);
  }
  return found.map((group) => Tuple.from<Value>([attributeOf(group[0], attribute, tools, instead), group]));
};

const join: Filter = (value, given, tools) => {
  const [separator = '', attribute] = parametersOf(given, 'd', 'attribute');
  const between = textOf(separator);
  const parts = Array.from(itemsOf(value), (item) => textOf(attributeOf(item, attribute, tools)));
  tools.budget.characters(parts.reduce((sum, part) => sum + part.length + between.length, 0));
  return parts.join(between);
};

const sum: Filter = (value, given, tools) => {
  const [attribute, start = 0] = parametersOf(given, 'attribute', 'start');
  return Array.from(itemsOf(value)).reduce<Value>(
    (total, item) => calculate('+', total, attributeOf(item, attribute, tools), tools.budget),
    start,
  );
};

const batch: Filter = (value, given, { budget }) => {
  const [size, fill] = parametersOf(given, 'linecount', 'fill_with');
  const [count, all] = [wholeNumber(size), itemsOf(value)];
  if (count < 1) throw new TemplateError('batch needs a size');
  budget.items(count);
  const parts: Value[][] = [];
  for (let index = 0; index < all.length; index += count) parts.push(Array.from(all.slice(index, index + count)));
  const last = parts.at(-1);
  if (last && fill !== undefined && fill !== null)
    last.push(...Array.from({ length: count - last.length }, () => fill));
  return parts;
};

const reverse: Filter = (value) =>
  typeof value === 'string' ? Array.from(value).toReversed().join('') : Array.from(itemsOf(value)).toReversed();

const slices: Filter = (value, given, { budget }) => {
  const [count, fill] = parametersOf(given, 'slices', 'fill_with');
  const [parts, all] = [wholeNumber(count), itemsOf(value)];
  if (parts < 1) throw new TemplateError('slice needs a count');
  budget.items(parts);
  const [size, more] = [Math.floor(all.length / parts), all.length % parts];
  return Array.from({ length: parts }, (_, index) => {
    const from = index * size + Math.min(index, more);
    const part = Array.from(all.slice(from, from + size + (index < more ? 1 : 0)));
    return fill !== undefined && fill !== null && index >= more ? [...part, fill] : part;
  });
};

/** The first or last item; of a dictionary, its key. */
const at =
  (index: 0 | -1): Filter =>
  (value) =>
    lengthOf(value) === 0 ? undefined : itemsOf(value).at(index);

/** Filters by name. */
export const LIST_FILTERS: readonly (readonly [name: string, filter: Filter])[] = [
  ['batch', batch],
  ['first', at(0)],
  ['groupby', groups],
  ['join', join],
  ['last', at(-1)],
  ['list', (value: Value) => Array.from(itemsOf(value))],
  ['map', map],
  ['max', extreme(1)],
  ['min', extreme(-1)],
  ['reject', choose({ negated: true })],
  ['rejectattr', choose({ byAttribute: true, negated: true })],
  ['reverse', reverse],
  ['select', choose({})],
  ['selectattr', choose({ byAttribute: true })],
  ['slice', slices],
  ['sort', sort],
  ['sum', sum],
  ['unique', unique],
];
