import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../src/core/schema/record-of.js';

const parsed = (text: string): unknown => JSON.parse(text);
const lower = v.pipe(v.string(), v.regex(/^[a-z_]+$/, 'lower'));

describe('an object whose names a client chooses', () => {
  it('keeps every name, in its place', () => {
    const text = '{"a":1,"__proto__":2,"constructor":3,"prototype":4,"toString":5,"z":6}';
    const read = v.safeParse(recordOf(v.string(), v.number()), parsed(text));
    expect(JSON.stringify(read.output)).toBe(text);
    expect(Object.getPrototypeOf(read.output)).toBe(Object.prototype);
  });

  it.each(['{"a":1,"__proto__":"x"}', '{"constructor":"x"}', '{"b":{"prototype":"x"}}'])(
    'is refused by the path of what is wrong: %s',
    (text) => {
      const schema = recordOf(lower, v.union([v.number(), recordOf(lower, v.number())]));
      const { issues } = v.safeParse(schema, parsed(text), { abortEarly: true });
      expect(v.getDotPath(issues![0])).toMatch(/__proto__|constructor|b/);
    },
  );

  it('is refused by its key, and no array or null', () => {
    const { issues } = v.safeParse(recordOf(lower, v.number()), { ok: 1, Bad: 2, worse: 'x' });
    expect(issues!.map((issue) => [v.getDotPath(issue), issue.message])).toEqual([
      ['Bad', 'lower'],
      ['worse', expect.stringContaining('number')],
    ]);
    for (const other of [[], [1], null, 'x', undefined])
      expect(v.safeParse(recordOf(lower, v.number()), other).issues).toHaveLength(1);
  });
});
