import * as v from 'valibot';
import { expect, it } from 'vitest';
import { fields, optional, parseOptions } from '../../../src/core/models/option-schema.js';
import { suggestName } from '../../../src/core/models/suggest-name.js';

const KNOWN = ['models', 'prefix', 'requestTimeout'];

it.each([
  ['model', 'models'],
  ['prefx', 'prefix'],
  ['requesttimeout', 'requestTimeout'],
  ['requestTimeoutSeconds', 'requestTimeout'],
])('the name nearest to %s is %s', (name, nearest) => {
  expect(suggestName(name, KNOWN)).toBe(`Did you mean \`${nearest}\`?`);
});

it('lists all names where none is near', () => {
  expect(suggestName('x', KNOWN)).toBe('Known are: models, prefix, requestTimeout.');
});

it('a schema refuses unknown names, and gives their path', () => {
  const schema = fields(
    { models: v.array(fields({ source: optional(v.string()) }, 'a field of a model')) },
    'an option',
  );
  expect(() => parseOptions(schema, { models: [{ source: '' }] })).not.toThrow();
  expect(() => parseOptions(schema, { models: [{ sorce: '' }] })).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      param: 'models.0.sorce',
      message: '`models.0.sorce` is not a field of a model. Did you mean `source`?',
    }),
  );
});
