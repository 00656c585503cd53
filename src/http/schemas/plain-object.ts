/** JSON objects with any keys. valibot takes arrays for objects, this does not. @module */
import * as v from 'valibot';

/** An object whose values are all as `value` says; arrays are refused. */
export function objectOf<const Value extends v.GenericSchema>(value: Value) {
  return recordOf(v.string(), value);
}

/** The same with keys of a certain form. */
export function recordOf<const Key extends v.GenericSchema<string, string>, const Value extends v.GenericSchema>(
  key: Key,
  value: Value,
) {
  return v.pipe(notArray, v.record(key, value));
}

/** To be put before a schema of an object whose fields are all optional: an array would pass it. */
export const notArray = v.custom<object>((input) => !Array.isArray(input), 'must be an object');
