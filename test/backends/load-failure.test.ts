import { expect, it } from 'vitest';
import { loadFailure } from '../../src/backends/load-failure.js';

const { signal } = new AbortController();

it.each([
  ['https://app.test/models/tiny-chat/config.json', { httpStatus: 404 }],
  ['https://app.test/app/models/tiny-embed/config.json', { isPage: true, httpStatus: 200 }],
])('a bundled model that is not served, %s: the command that copies it', (url, answer) => {
  const error = loadFailure(new Error(), { id: 'tiny-chat' }, signal, { url, ...answer });
  expect(error.message).toContain('`npx inpage init public`');
});

it('another model that is not there: its source', () => {
  const url = 'https://app.test/models/other/config.json';
  const error = loadFailure(new Error(), { id: 'other' }, signal, { url, httpStatus: 404 });
  expect(error.message).toContain('Check `source`');
  expect(error.message).not.toContain('npx');
});
