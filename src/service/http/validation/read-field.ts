/**
 * A member of a value that a client sent.
 * @returns undefined for a value that is not an object
 */
export function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
