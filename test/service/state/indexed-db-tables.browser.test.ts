import { afterEach, describe, expect, it, vi } from 'vitest';
import { openDeviceTables } from '../../../src/service/state/device-tables.js';
import { hasDatabase, openIndexedDbTables } from '../../../src/service/state/indexed-db-tables.js';
import { ResponseStore } from '../../../src/service/state/response-store.js';

const NAME = 'inpage-responses-test';

const open = async (maxBytes = 1e6): Promise<ResponseStore> =>
  new ResponseStore(await openIndexedDbTables(() => {}, NAME), { maxBytes, now: Date.now, service: '/v1' });

afterEach(
  () =>
    new Promise<void>((resolve) => {
      const request = indexedDB.deleteDatabase(NAME);
      request.addEventListener('success', () => resolve());
    }),
);

const response = (id: string, previous?: string, text = 'x') => ({
  body: { id, output: [{ id: `out-${id}`, text }] },
  input: [{ id: `in-${id}` }],
  previous,
});

describe('responses in IndexedDB', () => {
  it('are there for another engine of the origin, and gone when they are removed', async () => {
    expect(await hasDatabase(NAME)).toBe(false);
    const [first, second] = [await open(), await open()];
    expect(await first.save('me', response('a'))).toBe(true);
    expect(await second.save('me', response('b', 'a'))).toBe(true);
    expect((await first.historyOf('me', 'b'))?.items.map(({ id }) => id)).toEqual(['in-a', 'out-a', 'in-b', 'out-b']);
    expect(await hasDatabase(NAME)).toBe(true);
    expect((await first.findItems('me', ['in-b', 'out-a', 'in-c'])).map(({ id }) => id)).toEqual(['in-b', 'out-a']);
    await second.remove('me', 'a');
    expect(await first.find('me', 'a')).toBeUndefined();
    expect(await first.findItems('me', ['out-a'])).toEqual([]);
    await first.clear();
    expect(await second.usage()).toEqual({ responses: 0, conversations: 0, bytes: 0 });
  });

  it('stay below the bound when two engines write at once', async () => {
    const stores = [await open(50_000), await open(50_000)];
    const text = 'x'.repeat(2000);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => stores[index % 2]!.save('me', response(`r-${index}`, undefined, text))),
    );
    const { responses, bytes } = await stores[0]!.usage();
    expect(responses).toBeGreaterThan(5);
    expect(bytes).toBeLessThanOrEqual(50_000);
  });

  it('a step that fails leaves nothing', async () => {
    const tables = await openIndexedDbTables(() => {}, NAME);
    const failing = tables.update(async (transaction) => {
      transaction.put('chains', 'me a', 'b');
      await transaction.get('chains', 'me a');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await tables.update((transaction) => transaction.all('chains'))).toEqual([]);
  });
});

describe('a device that refuses what is to be stored', () => {
  afterEach(() => void vi.restoreAllMocks());

  const openOnDevice = async (): Promise<ResponseStore> =>
    new ResponseStore(await openDeviceTables(NAME), { maxBytes: 1e6, now: Date.now, service: '/v1' });
  /** What was told to commit only the browser can refuse, so the steps of a refusing disk are not told. */
  const commitLater = (): void => void vi.spyOn(IDBTransaction.prototype, 'commit').mockImplementation(() => {});
  /** Steps end as without room, when they write to a table of this name. */
  const refuse = (table: string): void => {
    commitLater();
    const put = IDBObjectStore.prototype.put;
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...args) {
      const request = put.apply(this, args);
      if (this.name === table) request.addEventListener('success', () => this.transaction.abort());
      return request;
    });
  };
  /** Steps end as without room, when they remove something. */
  const refuseRemovals = () => {
    commitLater();
    const remove = IDBObjectStore.prototype.delete;
    return vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(function (this: IDBObjectStore, key) {
      const request = remove.call(this, key);
      request.addEventListener('success', () => this.transaction.abort());
      return request;
    });
  };
  const idsOf = async (store: ResponseStore, id: string): Promise<string[] | undefined> =>
    (await store.historyOf('me', id))?.items.map((item) => item.id);

  it.each(['responses', 'sums'])('[H20] has it in memory, with what is on the disk (%s)', async (table) => {
    const store = await openOnDevice();
    await store.save('me', response('a'));
    refuse(table);
    expect(await store.save('me', response('b', 'a'))).toBe(true);
    expect(await idsOf(store, 'b')).toEqual(['in-a', 'out-a', 'in-b', 'out-b']);
    expect(await store.save('me', response('c', 'b'))).toBe(true);
    expect(await idsOf(store, 'c')).toHaveLength(6);
    expect((await store.usage()).responses).toBe(3);
    vi.restoreAllMocks();
    expect((await (await openOnDevice()).usage()).responses).toBe(1);
    await store.remove('me', 'a');
    expect(await store.find('me', 'a')).toBeUndefined();
    expect(await (await openOnDevice()).find('me', 'a')).toBeUndefined();
    await store.clear();
    expect(await store.usage()).toEqual({ responses: 0, conversations: 0, bytes: 0 });
  });

  it('[H20] has in memory what is refused before its step is over', async () => {
    const store = await openOnDevice();
    await store.save('me', response('a'));
    refuse('conversationItems');
    const addition = { items: [{ id: 'item', type: 'message' }], createId: () => 'another' };
    expect(await store.conversations.create('me', { id: 'talk', createdAt: 0, metadata: {} }, addition)).toBe(true);
    expect((await store.conversations.itemsOf('me', 'talk'))?.items).toEqual(addition.items);
    expect(await store.find('me', 'a')).toMatchObject({ id: 'a' });
    vi.restoreAllMocks();
    expect(await (await openOnDevice()).usage()).toMatchObject({ responses: 1, conversations: 0 });
  });

  it('hides what cannot be removed from the disk, which is tried once', async () => {
    const store = await openOnDevice();
    await store.save('me', response('a'));
    refuse('sums');
    await store.save('me', response('b'));
    const removals = refuseRemovals();
    await store.remove('me', 'a');
    expect(await store.find('me', 'a')).toBeUndefined();
    expect(await idsOf(store, 'b')).toEqual(['in-b', 'out-b']);
    // Its steps come after those above.
    expect((await (await openOnDevice()).usage()).responses).toBe(1);
    // The response and its chain.
    expect(removals).toHaveBeenCalledTimes(2);
  });

  it('tells that it could not remove everything', async () => {
    const store = await openOnDevice();
    await store.save('me', response('a'));
    const clear = IDBObjectStore.prototype.clear;
    vi.spyOn(IDBObjectStore.prototype, 'clear').mockImplementation(function (this: IDBObjectStore) {
      const request = clear.call(this);
      request.addEventListener('success', () => this.transaction.abort());
      return request;
    });
    await expect(store.clear()).rejects.toThrow('aborted');
    expect(await store.find('me', 'a')).toMatchObject({ id: 'a' });
  });

  it('[H20] has no database', async () => {
    vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
      throw new DOMException('no', 'SecurityError');
    });
    const store = await openOnDevice();
    expect(await store.save('me', response('a'))).toBe(true);
    expect(await idsOf(store, 'a')).toEqual(['in-a', 'out-a']);
  });
});
