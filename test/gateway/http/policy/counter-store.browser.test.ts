/** The counters that survive the gateway, in a real IndexedDB. */
import { expect, it } from 'vitest';
import { createIndexedDbCounterStore } from '../../../../src/gateway/http/policy/counter-store.js';
import { createRateLimiter } from '../../../../src/gateway/http/policy/rate-limits.js';

const name = (): string => `counters-${crypto.randomUUID()}`;
const remaining = (headers: Record<string, string>): number => Number(headers['x-ratelimit-remaining-requests']);

it('a new gateway goes on counting where the old one stopped', async () => {
  const database = name();
  for (const expected of [4, 3, 2]) {
    const limiter = createRateLimiter({ requestsPerMinute: 5 }, createIndexedDbCounterStore(database), Date.now);
    expect(remaining(await limiter.take('caller', 1))).toBe(expected);
  }
});

it('two gateways at once never count a request twice or lose one', async () => {
  const database = name();
  const limiters = [1, 2].map(() =>
    createRateLimiter({ requestsPerMinute: 30 }, createIndexedDbCounterStore(database), Date.now),
  );
  const requests = Array.from({ length: 40 }, (_, index) =>
    limiters[index % 2]!.take('caller', 1).then(remaining, () => 'refused'),
  );
  const outcomes = await Promise.all(requests);
  expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(10);
  expect(new Set(outcomes.filter((outcome) => outcome !== 'refused')).size).toBe(30);
});

it('callers of yesterday are forgotten', async () => {
  const database = name();
  const yesterday = createRateLimiter({}, createIndexedDbCounterStore(database), () => Date.now() - 2 * 86_400_000);
  await yesterday.take('old', 1);
  const store = createIndexedDbCounterStore(database);
  await createRateLimiter({}, store, Date.now).take('new', 1);
  const old = await store.update('old', (counters) => ({ counters, result: counters.day.length }));
  expect(old).toBe(0);
});
