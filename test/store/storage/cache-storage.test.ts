import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CacheFileStorage } from '../../../src/store/storage/cache-storage.js';
import { type FakeNetwork, fakeNetwork } from '../support/fake-network.js';
import { sha256Of, someBytes } from '../support/fault-server.js';
import { MemoryCaches } from '../support/memory-cache.js';
import { contentOf, filesOf, testStore, type TestStore } from '../support/node-store.js';

const MB = 2 ** 20;
/** Two parts. */
const LARGE = someBytes(9 * MB + 5);

let server: FakeNetwork;
let store: TestStore;

beforeEach(async () => {
  vi.stubGlobal('caches', new MemoryCaches());
  server = fakeNetwork({ 'm/large.bin': LARGE, 'm/config.json': new TextEncoder().encode('{"a":1}') });
  store = testStore({ fetch: server.fetch, storage: (await CacheFileStorage.create())! });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const folder = (): string => `${server.url}m/`;
const read = (file = 'large.bin') => contentOf(filesOf(store, folder()), file);
const expectLarge = async (): Promise<void> => expect(Buffer.compare((await read())!, LARGE)).toBe(0);

/** The kept parts of a file, the first one first. */
async function partsOf(file: string): Promise<{ bytes: Uint8Array<ArrayBuffer> }[]> {
  const { entries } = await (caches as unknown as MemoryCaches).open('inpage-models');
  return [...entries]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .filter(([url]) => new RegExp(`/${file}/\\d+$`).test(url))
    .map(([, entry]) => entry);
}

it('keeps a file in parts and uses it without a network', async () => {
  await expectLarge();
  expect(await partsOf('large.bin')).toHaveLength(2);
  await server.close();
  await expectLarge();
});

it('goes on after the last whole part', async () => {
  Object.assign(server.behaviour, { chunkBytes: 16 * 1024, chunkPause: 1 });
  const ended = new AbortController();
  const onProgress = ({ loadedBytes }: { loadedBytes: number }): void => {
    if (loadedBytes > 9 * MB) ended.abort();
  };
  await expect(
    contentOf(filesOf(store, folder(), { signal: ended.signal, onProgress }), 'large.bin'),
  ).rejects.toMatchObject({
    code: 'cancelled',
  });
  server.behaviour.chunkPause = 0;
  const before = server.sent;
  await expectLarge();
  expect(server.sent - before).toBeLessThanOrEqual(8 * MB);
});

it('goes on where a killed worker stopped: three kills cost hardly a byte', async () => {
  const whole = someBytes(39 * MB);
  server.files.set('m/large.bin', whole);
  let time = 0;
  store.now = () => (time += 100);
  const cache = await caches.open('inpage-models');
  const put = cache.put.bind(cache);
  for (let kill = 1; kill <= 3; kill++) {
    const over = new AbortController();
    const onProgress = ({ loadedBytes }: { loadedBytes: number }): void => {
      if (loadedBytes < (kill / 4) * whole.length || over.signal.aborted) return;
      cache.put = () => Promise.reject(new Error('The worker is gone.'));
      over.abort();
    };
    const dying = filesOf(store, folder(), { signal: over.signal, onProgress });
    await expect(dying.find('large.bin')).rejects.toMatchObject({ code: 'cancelled' });
    cache.put = put;
  }
  expect(sha256Of((await read())!)).toBe(sha256Of(whole));
  expect(server.sent).toBeLessThan(1.06 * whole.length);
  // No piece is left.
  const { entries } = cache as unknown as { entries: Map<string, unknown> };
  expect([...entries.keys()].filter((url) => url.includes('large.bin'))).toHaveLength(6);
});

it('keeps a file whose size nobody says in parts, too', async () => {
  store.fetch = async (url, init) => {
    const answer = await server.fetch(url, { ...init, headers: {} });
    return new Response(answer.body, { headers: { 'content-encoding': 'br' } });
  };
  await expectLarge();
  expect(await partsOf('large.bin')).toHaveLength(2);
});

it.each<[string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>]>([
  ['changed in one byte', (bytes) => bytes.map((byte, index) => (index === 77 ? byte ^ 1 : byte))],
  ['cut short', (bytes) => bytes.slice(0, 99)],
  ['made longer', (bytes) => Uint8Array.from(Buffer.concat([bytes.subarray(0, 9), bytes]))],
])('notices a part that was %s, and mends it: only that part is fetched', async (_, change) => {
  await expectLarge();
  const part = (await partsOf('large.bin')).at(-1);
  part!.bytes = change(part!.bytes);
  const before = server.sent;
  await expectLarge();
  expect(server.sent - before).toBe(MB + 5);
});

it('notices one changed byte in a small file, and says so when it cannot be had again', async () => {
  await read('config.json');
  const [part] = await partsOf('config.json');
  part!.bytes = part!.bytes.map((byte, index) => (index === 5 ? byte ^ 1 : byte));
  await server.close();
  await expect(read('config.json')).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('config.json') as string,
  });
});

it('lists and removes what is kept', async () => {
  const load = filesOf(store, folder());
  await load.prepare(['large.bin']);
  await load.find('large.bin');
  expect(await store.storage.list()).toMatchObject([
    { note: { model: folder() }, files: [{ bytes: LARGE.length, untouched: true }] },
  ]);
  await store.storage.removeModel(folder());
  expect(await store.storage.list()).toEqual([]);
  expect(await partsOf('large.bin')).toEqual([]);
});
