/** Objects whose names a client chooses. @module */
import * as v from 'valibot';

type Key = v.GenericSchema<string, string>;

/**
 * An object with any keys of a form whose values are all as `value` says. valibot's own leaves out `constructor`, `prototype`
 * and `__proto__` in silence, and takes arrays; here each own property is one like the others, in its place.
 */
export function recordOf<const Keys extends Key, const Value extends v.GenericSchema>(
  key: Keys,
  value: Value,
  message?: string,
): v.RecordSchema<Keys, Value, string | undefined> {
  const schema = v.record(key, value, message);
  const refuse: (typeof schema)['~run'] = schema['~run'].bind(schema);
  return {
    ...schema,
    '~run'(dataset, config) {
      const input: unknown = dataset.value;
      // null is no record either, so the issue is valibot's.
      if (typeof input !== 'object' || input === null || Array.isArray(input)) return refuse({ value: null }, config);
      return readEntries({ key, member: value, input }, config) as ReturnType<typeof refuse>;
    },
  };
}

interface Reading {
  key: Key;
  member: v.GenericSchema;
  input: object;
}

function readEntries(
  { key, member, input }: Reading,
  config: v.Config<v.BaseIssue<unknown>>,
): v.OutputDataset<Record<string, unknown>, v.BaseIssue<unknown>> {
  const entries: [string, unknown][] = [];
  const issues: v.BaseIssue<unknown>[] = [];
  let isTyped = true;
  for (const [name, given] of Object.entries(input)) {
    const readName = key['~run']({ value: name }, config);
    const readMember = member['~run']({ value: given }, config);
    const at = { type: 'object', input: input as Record<string, unknown>, key: name, value: given } as const;
    issues.push(...(readName.issues ?? []).map((issue) => issueAt({ ...at, origin: 'key' }, issue)));
    issues.push(...(readMember.issues ?? []).map((issue) => issueAt({ ...at, origin: 'value' }, issue)));
    if (!readName.typed || !readMember.typed) isTyped = false;
    if (readName.typed) entries.push([readName.value, readMember.value]);
    if (issues.length > 0 && config.abortEarly) {
      isTyped = false;
      break;
    }
  }
  // It makes `__proto__` a key like any other.
  const value = Object.fromEntries(entries);
  const [first, ...others] = issues;
  if (!first) return { typed: true, value };
  return isTyped
    ? { typed: true, value, issues: [first, ...others] }
    : { typed: false, value, issues: [first, ...others] };
}

function issueAt(item: v.ObjectPathItem, issue: v.BaseIssue<unknown>): v.BaseIssue<unknown> {
  return { ...issue, path: item.origin === 'key' ? [item] : [item, ...(issue.path ?? [])] };
}
