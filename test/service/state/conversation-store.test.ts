import { expect, it } from 'vitest';
import type { StoredItem } from '../../../src/service/state/records.js';
import { ResponseStore } from '../../../src/service/state/response-store.js';
import { createMemoryTables } from '../../../src/service/state/tables.js';

const DAY_MS = 24 * 3600 * 1000;
const item = (id: string, text = id): StoredItem => ({ id, type: 'message', text });

function open(maxBytes = 1e6) {
  const clock = { now: 1e12 };
  const store = new ResponseStore(createMemoryTables(), { maxBytes, now: () => (clock.now += 1), service: '/v1' });
  let made = 0;
  const addition = (...items: StoredItem[]) => ({ items, createId: () => `new-${(made += 1)}` });
  const create = (id: string, ...items: StoredItem[]): Promise<boolean> =>
    store.conversations.create('me', { id, createdAt: 1, metadata: {} }, addition(...items));
  return { store, clock, addition, create };
}

it('conversations and responses share the room: the least recently used goes first, whole', async () => {
  const { store, create } = open(2500);
  await create('conv_a', item('a', 'x'.repeat(400)));
  await store.save('me', { body: { id: 'resp_b', output: [item('b', 'x'.repeat(400))] }, input: [] });
  expect(await store.usage()).toMatchObject({ responses: 1, conversations: 1 });
  await store.conversations.find('me', 'conv_a');
  await create('conv_c', item('c', 'x'.repeat(400)));
  expect(await store.find('me', 'resp_b')).toBeUndefined();
  expect((await store.conversations.itemsOf('me', 'conv_a'))?.items).toHaveLength(1);
  const { bytes, conversations } = await store.usage();
  expect([conversations, bytes <= 2500]).toEqual([2, true]);
  await create('conv_d', item('d', 'x'.repeat(400)));
  expect(await store.conversations.find('me', 'conv_c')).toBeUndefined();
  expect(await store.findItems('me', ['c'])).toEqual([]);
  expect(await store.conversations.find('me', 'conv_a')).toBeDefined();
});

it('what is larger than the room alone changes nothing', async () => {
  const { store, create, addition } = open(1000);
  expect(await create('conv_large', item('a', 'x'.repeat(500)))).toBe(false);
  await create('conv_a', item('a'));
  expect(await store.conversations.add('me', 'conv_a', addition(item('b', 'x'.repeat(500))))).toBe('too-large');
  expect(await store.conversations.describe('me', 'conv_a', { k: 'x'.repeat(500) })).toBe('too-large');
  expect(await store.usage()).toMatchObject({ conversations: 1, responses: 0 });
});

it('what was not used for 30 days is unknown, and goes with the next that comes', async () => {
  const { store, clock, create } = open();
  await create('conv_a', item('a'));
  clock.now += 31 * DAY_MS;
  expect(await store.conversations.find('me', 'conv_a')).toBeUndefined();
  expect(await store.findItems('me', ['a'])).toEqual([]);
  await create('conv_b');
  expect(await store.usage()).toMatchObject({ conversations: 1 });
});

it('an item that is in several places is found until the last is removed', async () => {
  const { store, create } = open();
  await create('conv_a', item('a'));
  await store.save('me', { body: { id: 'resp_1', output: [item('a')] }, input: [] });
  for (let turn = 2; turn < 20; turn += 1)
    await store.save('me', { body: { id: `resp_${turn}`, output: [] }, input: [item('a')] });
  for (let turn = 1; turn < 20; turn += 1) await store.remove('me', `resp_${turn}`);
  expect(await store.findItems('me', ['a'])).toEqual([item('a')]);
  await store.conversations.remove('me', 'conv_a');
  expect(await store.findItems('me', ['a'])).toEqual([]);
  expect(await store.usage()).toEqual({ responses: 0, conversations: 0, bytes: 0 });
});

it('items are added once for a response, with another id where theirs is taken', async () => {
  const { store, create, addition } = open();
  await create('conv_a', item('a'));
  const first = await store.conversations.add('me', 'conv_a', {
    ...addition(item('a'), item('b')),
    response: 'resp_1',
  });
  expect(first).toEqual([{ ...item('a'), id: 'new-1' }, item('b')]);
  const again = { ...addition(item('a'), item('b')), response: 'resp_1' };
  expect(await store.conversations.add('me', 'conv_a', again)).toEqual(first);
  const all = await store.conversations.itemsOf('me', 'conv_a');
  expect(all?.items.map(({ id }) => id)).toEqual(['a', 'new-1', 'b']);
  expect((await store.conversations.itemsOf('me', 'conv_a', 'resp_1'))?.items).toEqual([item('a')]);
});
