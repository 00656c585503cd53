/** The counters that survive the gateway, in a real IndexedDB. */
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  type CallerCounters,
  type CounterStore,
  createIndexedDbCounterStore,
} from '../../../../src/service/http/policy/counter-store.js';
import { createRateLimiter } from '../../../../src/service/http/policy/rate-limits.js';

const name = (): string => `counters-${crypto.randomUUID()}`;
const NONE: CallerCounters = { minute: [], day: [] };
const read = (store: CounterStore, caller: string): Promise<CallerCounters> =>
  store.update(caller, (counters) => ({ counters, added: NONE, isTight: true, result: counters }));
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
  expect(await read(store, 'old')).toEqual(NONE);
});

it('requests far from a limit are counted in memory, and written together behind their answers', async () => {
  const database = name();
  const limiter = createRateLimiter({ requestsPerMinute: 600 }, createIndexedDbCounterStore(database), Date.now);
  const transactions = vi.spyOn(IDBDatabase.prototype, 'transaction');
  onTestFinished(() => transactions.mockRestore());
  for (let request = 1; request <= 100; request += 1)
    expect(remaining(await limiter.take('me', 1))).toBe(600 - request);
  // One reads the database, one tidies it up; while the requests run few more may write.
  expect(transactions.mock.calls.length).toBeLessThan(50);
  const other = createIndexedDbCounterStore(database);
  const written = async (): Promise<number> =>
    (await read(other, 'me')).minute.reduce((sum, [, count]) => sum + count, 0);
  await expect.poll(written).toBe(100);
});

it('what another gateway has counted meanwhile is added, and known with the next write', async () => {
  const database = name();
  const [one, other] = [1, 2].map(() =>
    createRateLimiter({ requestsPerMinute: 600 }, createIndexedDbCounterStore(database), Date.now),
  );
  await one!.take('me', 1);
  await other!.take('me', 100);
  // By what it knew of the other one.
  expect(remaining(await one!.take('me', 1))).toBe(598);
  await expect.poll(async () => remaining(await one!.take('me', 0))).toBe(498);
});
