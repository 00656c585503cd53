/** Python's values in JavaScript, as far as templates know them: truth, equality, order, iteration. @module */

/** A number that Python holds as `float`; all other numbers are whole. */
export class Float {
  readonly number: number;
  constructor(number: number) {
    this.number = number;
  }
}

/** A list that Python writes in parentheses. */
export class Tuple extends Array<Value> {}

export type Dictionary = Map<Value, Value>;

/** What `namespace()` makes: its fields can be set. */
export class Namespace {
  readonly fields: Map<string, Value>;
  constructor(fields: Map<string, Value>) {
    this.fields = fields;
  }
}

/** Positional arguments, and those with a name. */
export interface Given {
  positional: readonly Value[];
  names: ReadonlyMap<string, Value>;
}

export type Callable = (given: Given) => Value;

/** `undefined` is Jinja's own: a name, key or attribute that is missing. */
export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | Float
  | readonly Value[]
  | Dictionary
  | Namespace
  | Callable;

/** An error that Python would raise. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** JSON as a template's values. Fields that are undefined are absent, because templates ask `is defined`. */
export function toValue(plain: unknown): Value {
  if (typeof plain === 'number') return Number.isInteger(plain) ? plain : new Float(plain);
  if (typeof plain !== 'object' || plain === null) return plain as Value;
  if (Array.isArray(plain)) return plain.map(toValue);
  const entries = Object.entries(plain).filter(([, item]) => item !== undefined);
  return new Map(entries.map(([key, item]) => [key, toValue(item)]));
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isDictionary(value: Value): value is Dictionary {
  return value instanceof Map;
}

/** What Python calls the type. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'number':
      return 'int';
    case 'boolean':
      return 'bool';
    case 'undefined':
      return 'Undefined';
    case 'function':
      return 'function';
    default:
  }
  if (value === null) return 'NoneType';
  if (value instanceof Float) return 'float';
  if (value instanceof Tuple) return 'tuple';
  if (isList(value)) return 'list';
  return isDictionary(value) ? 'dict' : 'Namespace';
}

export function isTrue(value: Value): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value);
  if (value instanceof Float) return value.number !== 0;
  if (isList(value)) return value.length > 0;
  return isDictionary(value) ? value.size > 0 : true;
}

/** The number of an `int`, `float` or `bool`; of others undefined. */
export function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Float ? value.number : undefined;
}

/** A whole number, as indices and counts need it. @throws TemplateError for other values */
export function wholeNumber(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  throw new TemplateError(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

export function isEqual(left: Value, right: Value): boolean {
  if (left === right) return true;
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined || b !== undefined) return a === b;
  if (isList(left) && isList(right)) {
    const sameKind = left instanceof Tuple === right instanceof Tuple;
    return sameKind && left.length === right.length && left.every((item, index) => isEqual(item, right[index]));
  }
  if (!isDictionary(left) || !isDictionary(right) || left.size !== right.size) return false;
  return [...left].every(([key, item]) => right.has(key) && isEqual(item, right.get(key)));
}

/** Below 0 when left comes first. @throws TemplateError for values that have no order */
export function compare(left: Value, right: Value): number {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) return a - b;
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  if (isList(left) && isList(right)) {
    const different = left.findIndex((item, index) => index >= right.length || !isEqual(item, right[index]));
    if (different < 0) return left.length - right.length;
    return different >= right.length ? 1 : compare(left[different], right[different]);
  }
  throw new TemplateError(`'<' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`);
}

const SURROGATES = /[\ud800-\udfff]/;

/** The characters of a text, as Python counts them. */
export function characters(text: string): string[] {
  return SURROGATES.test(text) ? Array.from(text) : text.split('');
}

/** What a loop goes through; nothing of what is undefined. @throws TemplateError for values that hold nothing */
export function itemsOf(value: Value): readonly Value[] {
  if (value === undefined) return [];
  if (isList(value)) return value;
  if (typeof value === 'string') return characters(value);
  if (isDictionary(value)) return [...value.keys()];
  throw new TemplateError(`'${typeName(value)}' object is not iterable`);
}

/** `len(value)` @throws TemplateError */
export function lengthOf(value: Value): number {
  if (typeof value === 'string') return SURROGATES.test(value) ? characters(value).length : value.length;
  if (typeof value === 'number' || value === null || typeof value === 'function' || value instanceof Namespace)
    throw new TemplateError(`object of type '${typeName(value)}' has no len()`);
  return itemsOf(value).length;
}

/** `left in right` @throws TemplateError */
export function isIn(left: Value, right: Value): boolean {
  if (typeof right === 'string') {
    if (typeof left === 'string') return right.includes(left);
    throw new TemplateError(`'in <string>' requires string as left operand, not ${typeName(left)}`);
  }
  if (isDictionary(right)) return right.has(keyOf(left));
  return itemsOf(right).some((item) => isEqual(item, left));
}

/** A value as dictionaries hold it. @throws TemplateError for what has no hash */
export function keyOf(value: Value): Value {
  if (value instanceof Float && Number.isInteger(value.number)) return value.number;
  // `1`, `1.0` and `True` are one key.
  if (typeof value === 'boolean') return Number(value);
  if (isList(value) || isDictionary(value)) throw new TemplateError(`unhashable type: '${typeName(value)}'`);
  return value;
}
