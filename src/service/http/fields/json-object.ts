/** JSON objects. valibot takes arrays for objects, these schemas do not. @module */
import * as v from 'valibot';
import { recordOf } from '../../../core/schema/record-of.js';

/** An object with these fields; unknown ones are dropped. To be used for every object of a request. */
export function object<const Entries extends v.ObjectEntries>(entries: Entries): v.ObjectSchema<Entries, undefined> {
  return withoutArrays(v.object(entries));
}

/** An object with any keys whose values are all as `value` says. */
export function objectOf<const Value extends v.GenericSchema>(value: Value) {
  return recordOf(v.string(), value);
}

/** The schema of an object, told that it is none by an array. */
export function withoutArrays<Schema extends v.GenericSchema>(schema: Schema): Schema {
  const run: Schema['~run'] = schema['~run'].bind(schema);
  return {
    ...schema,
    // null is what neither of them takes, so the issue is theirs.
    '~run': (dataset, config) => run(Array.isArray(dataset.value) ? { value: null } : dataset, config),
  };
}
