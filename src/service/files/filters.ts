/** Which files of a store are searched, by their attributes. @module */
import type { Attributes } from './records.js';

type Value = string | number | boolean;

export type Filter =
  | { type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'; key: string; value: Value }
  | { type: 'in' | 'nin'; key: string; value: readonly Value[] }
  | { type: 'and' | 'or'; filters: readonly Filter[] };

/** Where the file has no such key, or one of another type, only `ne` and `nin` hold. */
export function passes(attributes: Attributes, filter: Filter): boolean {
  switch (filter.type) {
    case 'and':
      return filter.filters.every((each) => passes(attributes, each));
    case 'or':
      return filter.filters.some((each) => passes(attributes, each));
    default: {
      const has = Object.hasOwn(attributes, filter.key);
      const own = has ? attributes[filter.key] : undefined;
      return compare(own, filter);
    }
  }
}

function compare(own: Value | undefined, { type, value }: Exclude<Filter, { filters: unknown }>): boolean {
  switch (type) {
    case 'eq':
      return own === value;
    case 'ne':
      return own !== value;
    case 'in':
      return own !== undefined && value.includes(own);
    case 'nin':
      return own === undefined || !value.includes(own);
    default: {
      const order = orderOf(own, value);
      if (order === undefined) return false;
      if (type === 'gt') return order > 0;
      if (type === 'gte') return order >= 0;
      return type === 'lt' ? order < 0 : order <= 0;
    }
  }
}

/** Undefined: these cannot be compared. */
function orderOf(own: Value | undefined, value: Value): number | undefined {
  if (typeof own === 'number' && typeof value === 'number') return own - value;
  if (typeof own !== 'string' || typeof value !== 'string') return undefined;
  return compareCodePoints(own, value);
}

/** JavaScript itself compares the halves of characters beyond the basic plane. */
function compareCodePoints(one: string, other: string): number {
  const [left, right] = [Array.from(one), Array.from(other)];
  for (const [index, character] of left.entries()) {
    if (index >= right.length) return 1;
    const difference = character.codePointAt(0)! - right[index]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
