import { expect, it } from 'vitest';
import { createMemoryTables, type Tables } from '../../../src/service/state/tables.js';

const get = (tables: Tables, name: string): Promise<unknown> => tables.update((each) => each.get('chains', name));
const put = (tables: Tables, name: string, record: unknown): Promise<void> =>
  tables.update(async (each) => each.put('chains', name, record));
const remove = (tables: Tables, name: string): Promise<void> =>
  tables.update(async (each) => each.delete('chains', name));
const all = (tables: Tables): Promise<[string, unknown][]> => tables.update((each) => each.all('chains'));
/** Steps of tables in memory that others wait for are over by then. */
const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve));

it('tables above others read and remove what is below, and write nothing there', async () => {
  const below = createMemoryTables();
  await put(below, 'a', 1);
  await put(below, 'b', 2);
  const above = createMemoryTables(below);
  await put(above, 'b', 3);
  await put(above, 'c', 4);
  expect([await get(above, 'a'), await get(above, 'b'), await get(above, 'c')]).toEqual([1, 3, 4]);
  expect(await all(above)).toEqual([
    ['a', 1],
    ['b', 3],
    ['c', 4],
  ]);
  await remove(above, 'a');
  await remove(above, 'b');
  expect(await all(above)).toEqual([['c', 4]]);
  await settled();
  expect(await all(below)).toEqual([]);
  // Nothing is remembered of what is gone: what another tab puts there is seen.
  await put(below, 'a', 5);
  expect(await get(above, 'a')).toBe(5);
});

it('holders of an item are those above, and those below that were neither removed nor replaced', async () => {
  const below = createMemoryTables();
  const above = createMemoryTables(below);
  const keep = (tables: Tables, name: string, ...itemNames: string[]): Promise<void> =>
    tables.update(async (each) => each.put('responses', name, { itemNames }));
  for (const name of ['a', 'b', 'c']) await keep(below, name, 'one', 'two');
  await keep(above, 'b', 'two');
  await keep(above, 'd', 'one');
  await above.update(async (each) => each.delete('responses', 'c'));
  const holders = (item: string): Promise<string[]> => above.update((each) => each.holders('responses', item));
  expect([await holders('one'), await holders('two'), await holders('three')]).toEqual([['a', 'd'], ['a', 'b'], []]);
});

it('tables above others that fail have what was put there, and not what was removed', async () => {
  const failing = (): Promise<never> => Promise.reject(new Error('no'));
  const above = createMemoryTables({ update: failing, clear: failing });
  await put(above, 'a', 1);
  await put(above, 'b', 2);
  await remove(above, 'a');
  expect([await get(above, 'a'), await get(above, 'b'), await get(above, 'c')]).toEqual([undefined, 2, undefined]);
  expect(await all(above)).toEqual([['b', 2]]);
});
