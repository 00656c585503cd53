import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fetchPart, missingPart } from '../../../src/core/errors/fetch-part.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const URL_OF_PART = 'https://app.example/assets/load-embedding-model-1a2b.js';

// As Chromium, Firefox and Safari say it.
it.each([
  [`Failed to fetch dynamically imported module: ${URL_OF_PART}`, URL_OF_PART],
  [`error loading dynamically imported module: ${URL_OF_PART}`, URL_OF_PART],
  ['Importing a module script failed.', undefined],
])('%s: a part of Inpage is missing, which answers do not name', (said, url) => {
  const error = missingPart(new TypeError(said))!;
  expect(error.code).toBe('unavailable');
  expect(error.message).toMatch(/network is down, or another version was deployed/);
  expect(error.message).not.toContain('https:');
  expect(error.details.url).toBe(url);
  expect(error.details.reason).toContain(url ?? 'could not be downloaded');
});

it.each([
  new TypeError('x is not a function'),
  new Error(`Failed to fetch dynamically imported module: ${URL_OF_PART}`),
  undefined,
])('%s is something else', (thrown) => {
  expect(missingPart(thrown)).toBeUndefined();
});

const LOST = new TypeError(`Failed to fetch dynamically imported module: ${URL_OF_PART}`);

/** What became of it, after all waits. */
async function outcomeOf(load: () => Promise<string>): Promise<PromiseSettledResult<string>> {
  const [[outcome]] = await Promise.all([Promise.allSettled([fetchPart(load)]), vi.runAllTimersAsync()]);
  return outcome;
}

it('a part that was lost once is fetched again', async () => {
  const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(LOST).mockResolvedValueOnce('part');
  expect(await outcomeOf(load)).toEqual({ status: 'fulfilled', value: 'part' });
});

it('a part that does not come at all is a typed error that says when to ask again', async () => {
  const load = vi.fn<() => Promise<string>>().mockRejectedValue(LOST);
  expect(await outcomeOf(load)).toMatchObject({
    status: 'rejected',
    reason: { code: 'unavailable', details: { url: URL_OF_PART, retryAfter: 5 } },
  });
  expect(load).toHaveBeenCalledTimes(2);
});

it('a part that fails while it starts is not asked for again', async () => {
  const thrown = new TypeError('x is not a function');
  const load = vi.fn<() => Promise<string>>().mockRejectedValue(thrown);
  expect(await outcomeOf(load)).toEqual({ status: 'rejected', reason: thrown });
  expect(load).toHaveBeenCalledTimes(1);
});
