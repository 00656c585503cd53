/** Conversions as Web IDL has them: what pages pass becomes what an interface takes. @module */

/** Anything as a text, as `String` says it. */
export function textOf(value: unknown): string {
  return String(value);
}

export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** @throws TypeError */
export function listOf(values: unknown, name: string): unknown[] {
  if (isIterable(values)) return [...values];
  throw new TypeError(`\`${name}\` must be a list.`);
}

/** @throws TypeError */
export function oneOf<const Value extends string>(value: unknown, values: readonly Value[], name: string): Value {
  const text = textOf(value) as Value;
  if (values.includes(text)) return text;
  throw new TypeError(`\`${name}\` must be one of ${values.join(', ')}.`);
}

/** @throws TypeError for what is not a dictionary */
export function dictionary(value: unknown, name = 'options'): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' && typeof value !== 'function') throw new TypeError(`\`${name}\` must be an object.`);
  return value as Record<string, unknown>;
}
