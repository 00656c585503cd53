import { expect, it } from 'vitest';
import { missingPart } from '../../src/model/missing-part.js';

const URL_OF_PART = 'https://app.example/assets/load-embedding-model-1a2b.js';

// As Chromium, Firefox and Safari say it.
it.each([
  [`Failed to fetch dynamically imported module: ${URL_OF_PART}`, URL_OF_PART],
  [`error loading dynamically imported module: ${URL_OF_PART}`, URL_OF_PART],
  ['Importing a module script failed.', undefined],
])('%s: a part of Inpage is missing, which answers do not name', (said, url) => {
  const error = missingPart(new TypeError(said))!;
  expect(error.code).toBe('unavailable');
  expect(error.message).toMatch(/network is gone, or another version was deployed/);
  expect(error.message).not.toContain('https:');
  expect(error.details.url).toBe(url);
  expect(error.details.reason).toContain(url ?? 'could not be fetched');
});

it.each([
  new TypeError('x is not a function'),
  new Error(`Failed to fetch dynamically imported module: ${URL_OF_PART}`),
  undefined,
])('%s is something else', (thrown) => {
  expect(missingPart(thrown)).toBeUndefined();
});
