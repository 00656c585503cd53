import { expect, it } from 'vitest';
import { createMemoryCounterStore } from '../../../../src/service/http/policy/counter-store.js';

it('[Y30] forgets the callers that were silent longest', async () => {
  const store = createMemoryCounterStore(3);
  const count = (caller: string): Promise<number> =>
    store.update(caller, ({ day }) => ({
      counters: { minute: [], day: [...day, [1, 1]] },
      added: { minute: [], day: [[1, 1]] },
      isTight: false,
      result: day.length,
    }));
  for (const caller of ['a', 'b', 'c', 'a', 'd']) await count(caller);
  expect(await Promise.all(['a', 'c', 'd'].map(count))).toEqual([2, 1, 1]);
  expect(await count('b')).toBe(0);
});
