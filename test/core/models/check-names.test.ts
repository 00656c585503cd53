import { expect, it } from 'vitest';
import { checkNames } from '../../../src/core/models/check-names.js';

const KNOWN = { models: true, prefix: true, requestTimeout: true };

it.each([
  ['model', 'models'],
  ['prefx', 'prefix'],
  ['requesttimeout', 'requestTimeout'],
  ['requestTimeoutSeconds', 'requestTimeout'],
  ['x', undefined],
])('%s is refused; the nearest name is %s', (name, nearest) => {
  const hint = nearest === undefined ? 'Known are: models, prefix, requestTimeout.' : `Did you mean \`${nearest}\`?`;
  expect(() => checkNames({ [name]: 1 }, KNOWN, 'an option')).toThrow(`\`${name}\` is not an option. ${hint}`);
});

it('takes known names, and gives the path of others', () => {
  expect(() => checkNames({ models: 1, prefix: 2 }, KNOWN, 'an option')).not.toThrow();
  expect(() => checkNames({ sorce: '' }, { source: true }, 'a field of a model', 'models.0')).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'models.0.sorce' }),
  );
});
