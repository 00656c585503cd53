import { expect, it } from 'vitest';
import { Catalog } from '../../../src/core/models/catalog.js';
import { scriptedChat } from '../../support/build-app.js';

it('a model that there is not is refused with those that there are', () => {
  const catalog = new Catalog([scriptedChat({ id: 'a' }), scriptedChat({ id: 'gone', status: 'removed' })]);
  expect(() => catalog.require('b')).toThrow('The model `b` does not exist. Available models: `a`.');
  const many = new Catalog(Array.from({ length: 20 }, (_, index) => scriptedChat({ id: `m${index}` })));
  expect(() => many.require('b')).toThrow(/`m0`.*`m7` and more\.$/);
});
