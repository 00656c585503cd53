import * as v from 'valibot';
import { expect, it } from 'vitest';
import { objectOf } from '../../../../src/service/http/fields/json-object.js';
import { parseBody } from '../../../../src/service/http/validation/parse-body.js';

it.each([
  ['a text', 'no object'],
  ['an array', []],
])('says that a field must be an object and not %s, whatever its keys may be', (_, parameters) => {
  const schema = v.object({ parameters: objectOf(v.unknown()) });
  expect(() => parseBody(schema, { parameters })).toThrow('`parameters` must be an object.');
});
