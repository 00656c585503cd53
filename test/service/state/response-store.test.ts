import { describe, expect, it } from 'vitest';
import type { StoredItem } from '../../../src/service/state/records.js';
import { type StoredResponse, ResponseStore } from '../../../src/service/state/response-store.js';
import { createMemoryTables } from '../../../src/service/state/tables.js';

const DAY_MS = 24 * 3600 * 1000;

function open(maxBytes = 1e6) {
  const clock = { now: 1e12 };
  const store = new ResponseStore(createMemoryTables(), { maxBytes, now: () => (clock.now += 1), service: '/v1' });
  return { store, clock };
}

const item = (id: string, text = id): StoredItem => ({ id, type: 'message', text });

/** A response with one item in and one out. */
function response(id: string, previous?: string, text?: string): StoredResponse {
  return { body: { id, output: [item(`out-${id}`, text)] }, input: [item(`in-${id}`)], previous };
}

const idsOf = (items: readonly { id: string }[] = []): string[] => items.map(({ id }) => id);

describe('chains', () => {
  it('a response read what those before it were sent and answered, and then its own items', async () => {
    const { store } = open();
    for (const [id, previous] of [['a'], ['b', 'a'], ['c', 'b'], ['d', 'a']] as const)
      expect(await store.save('me', response(id, previous))).toBe(true);
    expect(idsOf((await store.inputOf('me', 'c'))?.items)).toEqual(['in-a', 'out-a', 'in-b', 'out-b', 'in-c']);
    expect(idsOf((await store.historyOf('me', 'd'))?.items)).toEqual(['in-a', 'out-a', 'in-d', 'out-d']);
  });

  it('a removed response is gone from lists, and nothing can follow it', async () => {
    const { store } = open();
    await store.save('me', response('a'));
    await store.save('me', response('b', 'a'));
    await store.save('me', response('c', 'b'));
    expect(await store.remove('me', 'b')).toMatchObject({ id: 'b' });
    expect(await store.remove('me', 'b')).toBeUndefined();
    expect(await store.find('me', 'b')).toBeUndefined();
    expect(await store.findItems('me', ['out-b'])).toEqual([]);
    expect(await store.inputOf('me', 'c')).toMatchObject({ complete: false });
    expect(idsOf((await store.inputOf('me', 'c'))?.items)).toEqual(['in-a', 'out-a', 'in-c']);
    expect(await store.save('me', response('d', 'b'))).toBe(false);
    expect((await store.usage()).responses).toBe(2);
    await store.remove('me', 'a');
    await store.remove('me', 'c');
    expect(await store.usage()).toEqual({ responses: 0, conversations: 0, bytes: 0 });
  });

  it('keeping a response again, as a host that takes over does, changes nothing', async () => {
    const { store } = open();
    await store.save('me', response('a'));
    const before = await store.usage();
    expect(await store.save('me', response('a'))).toBe(true);
    expect(await store.usage()).toEqual(before);
  });
});

describe('callers', () => {
  it('do not see each other, nor those of a service at another path', async () => {
    const tables = createMemoryTables();
    const options = { maxBytes: 1e6, now: Date.now };
    const store = new ResponseStore(tables, { ...options, service: '/v1' });
    const other = new ResponseStore(tables, { ...options, service: '/ai' });
    await store.save('me', response('a'));
    for (const [each, caller] of [
      [store, 'you'],
      [other, 'me'],
    ] as const) {
      expect(await each.find(caller, 'a')).toBeUndefined();
      expect(await each.findItems(caller, ['in-a'])).toEqual([]);
      expect(await each.historyOf(caller, 'a')).toBeUndefined();
      expect(await each.remove(caller, 'a')).toBeUndefined();
    }
    expect(await store.find('me', 'a')).toMatchObject({ id: 'a' });
  });
});

describe('the bound', () => {
  const text = 'x'.repeat(1000);

  it('[H21] the least recently used go, a chain as one', async () => {
    const { store } = open(10_000);
    await store.save('me', response('a', undefined, text));
    await store.save('me', response('b', 'a', text));
    await store.save('me', response('c', undefined, text));
    // Used, and its chain with it.
    await store.find('me', 'a');
    await store.save('me', response('d', undefined, text));
    await store.save('me', response('e', undefined, text));
    expect(await store.find('me', 'c')).toBeUndefined();
    expect(await store.find('me', 'b')).toMatchObject({ id: 'b' });
    expect((await store.usage()).bytes).toBeLessThanOrEqual(10_000);
    // Nobody uses the chain any more.
    for (const id of ['f', 'g', 'h']) await store.save('me', response(id, undefined, text));
    expect([await store.find('me', 'a'), await store.find('me', 'b')]).toEqual([undefined, undefined]);
  });

  it('[H21] 500 turns of a chain stay below it', async () => {
    const { store } = open(100_000);
    let previous: string | undefined;
    let kept = 0;
    for (let turn = 0; turn < 500; turn += 1) {
      const id = `turn-${turn}`;
      if (await store.save('me', response(id, previous, text))) {
        kept += 1;
        previous = id;
      } else previous = undefined;
      expect((await store.usage()).bytes).toBeLessThanOrEqual(100_000);
    }
    expect(kept).toBeGreaterThan(400);
  });

  it('[H21] what is larger alone is not kept, and nothing goes for it', async () => {
    const { store } = open(3000);
    await store.save('me', response('a'));
    expect(await store.save('me', response('b', undefined, 'x'.repeat(5000)))).toBe(false);
    expect(await store.find('me', 'a')).toMatchObject({ id: 'a' });
  });

  it('[H21] what was not used for 30 days goes', async () => {
    const { store, clock } = open();
    await store.save('me', response('a'));
    clock.now += 29 * DAY_MS;
    expect(await store.find('me', 'a')).toBeDefined();
    clock.now += 31 * DAY_MS;
    expect(await store.find('me', 'a')).toBeUndefined();
    expect(await store.usage()).toEqual({ responses: 0, conversations: 0, bytes: 0 });
    await store.save('me', response('b'));
    expect((await store.usage()).responses).toBe(1);
  });
});

describe('shares', () => {
  const BIG = 'x'.repeat(1_000);
  const RESPONSE_BYTES =
    2 * JSON.stringify([response('a0', undefined, BIG).body, response('a0').input, null, null]).length;

  function openShared(shares: number) {
    const maxBytes = 4 * RESPONSE_BYTES;
    let now = 1e12;
    return new ResponseStore(createMemoryTables(), { maxBytes, now: () => (now += 1), service: '/v1', shares });
  }

  async function saveAll(store: ResponseStore, caller: string, ids: readonly string[]): Promise<boolean[]> {
    const saved: boolean[] = [];
    for (const id of ids) saved.push(await store.save(caller, response(id, undefined, BIG)));
    return saved;
  }

  async function keptOf(store: ResponseStore, caller: string, ids: readonly string[]): Promise<string[]> {
    const found = await Promise.all(ids.map((id) => store.find(caller, id)));
    return ids.filter((_, index) => found[index]);
  }

  it('[Y31] what a key stores pushes out its own, while another has no more than its share', async () => {
    const store = openShared(2);
    await saveAll(store, 'b', ['b0', 'b1']);
    await saveAll(store, 'a', ['a0', 'a1', 'a2', 'a3', 'a4', 'a5']);
    expect(await keptOf(store, 'b', ['b0', 'b1'])).toEqual(['b0', 'b1']);
    expect(await keptOf(store, 'a', ['a0', 'a1', 'a2', 'a3', 'a4', 'a5'])).toEqual(['a4', 'a5']);
  });

  it('[Y31] what is over its share goes when another needs its own', async () => {
    const store = openShared(2);
    await saveAll(store, 'a', ['a0', 'a1', 'a2', 'a3']);
    expect(await keptOf(store, 'a', ['a0', 'a1', 'a2', 'a3'])).toHaveLength(4);
    await saveAll(store, 'b', ['b0', 'b1']);
    expect(await keptOf(store, 'a', ['a0', 'a1', 'a2', 'a3'])).toEqual(['a2', 'a3']);
    expect(await keptOf(store, 'b', ['b0', 'b1'])).toEqual(['b0', 'b1']);
  });

  it('[Y31] one that leaves no room for the share of another is not stored', async () => {
    const store = openShared(2);
    await saveAll(store, 'b', ['b0', 'b1']);
    expect(await store.save('a', response('large', undefined, BIG.repeat(3)))).toBe(false);
    expect(await keptOf(store, 'b', ['b0', 'b1'])).toEqual(['b0', 'b1']);
    expect((await store.usage()).responses).toBe(2);
  });

  it('[Y31] without keys all callers share', async () => {
    const store = openShared(0);
    await saveAll(store, 'b', ['b0', 'b1']);
    await saveAll(store, 'a', ['a0', 'a1', 'a2', 'a3']);
    expect(await keptOf(store, 'b', ['b0', 'b1'])).toEqual([]);
  });
});
