import { expect, it } from 'vitest';
import { InferenceError, toInferenceError } from '../../../src/core/errors/inference-error.js';

const URL_OF_PART = 'https://app.example/assets/load-embedding-model-1a2b.js';

// As Chromium, Firefox and Safari say it.
it.each([
  [`Failed to fetch dynamically imported module: ${URL_OF_PART}`, URL_OF_PART],
  [`error loading dynamically imported module: ${URL_OF_PART}`, URL_OF_PART],
  ['Importing a module script failed.', undefined],
])('%s: a part of Inpage is missing, which answers do not name', (said, url) => {
  const error = toInferenceError(new TypeError(said));
  expect(error.code).toBe('unavailable');
  expect(error.message).toMatch(/network is gone, or another version was deployed/);
  expect(error.message).not.toContain('https:');
  expect(error.details.url).toBe(url);
  expect(error.details.reason).toContain(url ?? 'could not be fetched');
});

it.each([
  new TypeError('x is not a function'),
  new Error(`Failed to fetch dynamically imported module: ${URL_OF_PART}`),
])('%s is a defect, whose text nobody reads', (thrown) => {
  expect(toInferenceError(thrown)).toMatchObject({ code: 'internal', cause: thrown });
  expect(toInferenceError(thrown).message).not.toContain(thrown.message);
});

it('what is one already, and aborts, stay what they are', () => {
  const error = new InferenceError('timeout', 'Too late.');
  expect(toInferenceError(error)).toBe(error);
  expect(toInferenceError(new DOMException('', 'AbortError')).code).toBe('cancelled');
});
