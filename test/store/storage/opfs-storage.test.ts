/** Files on a disk, as workers keep them: whatever happens to the worker, the disk and other tabs. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { InferenceError } from '../../../src/core/errors/inference-error.js';
import type { LoadProgress } from '../../../src/core/models/model-entry.js';
import { listStored } from '../../../src/store/list-stored.js';
import { OpfsStorage } from '../../../src/store/storage/opfs-storage.js';
import type { StoreEnvironment } from '../../../src/store/storage/store-environment.js';
import { type FakeNetwork, fakeNetwork } from '../support/fake-network.js';
import { sha256Of, someBytes } from '../support/fault-server.js';
import { memoryLocks } from '../support/memory-locks.js';
import { type MemoryDisk, memoryDisk, MemoryFolder, MemoryHandle } from '../support/memory-opfs.js';
import { filesOf, testStore } from '../support/node-store.js';

const MB = 2 ** 20;
const WEIGHTS = someBytes(18 * MB + 5);
const FILES = { 'config.json': new TextEncoder().encode('{"a":1}'), 'weights.bin': WEIGHTS };
const NAMES = Object.keys(FILES) as (keyof typeof FILES)[];
const TOTAL = WEIGHTS.length + FILES['config.json'].length;

let network: FakeNetwork;
let disk: MemoryDisk;
let store: StoreEnvironment;

beforeEach(async () => {
  network = fakeNetwork(Object.fromEntries(NAMES.map((name) => [`m/${name}`, FILES[name]])));
  disk = memoryDisk();
  vi.stubGlobal('FileSystemFileHandle', MemoryHandle);
  vi.stubGlobal('navigator', { storage: { getDirectory: async () => disk.root } });
  let time = 0;
  // Every piece is reported.
  const now = (): number => (time += 100);
  store = testStore({ fetch: network.fetch, now, storage: (await OpfsStorage.create())! });
});
afterEach(() => vi.unstubAllGlobals());

const folder = (): string => `${network.url}m/`;
const load = (options: Parameters<typeof filesOf>[2] = {}) => filesOf(store, folder(), options);

/** Everything is there and right. */
async function expectAll(options: Parameters<typeof filesOf>[2] = {}): Promise<void> {
  const files = load(options);
  await files.prepare(NAMES);
  for (const name of NAMES) {
    const bytes = await (await files.read(name))!.bytes();
    expect([name, Buffer.compare(bytes, FILES[name])]).toEqual([name, 0]);
  }
}

/** Files of the model's folder in storage whose names end so. */
async function handles(ending: string): Promise<MemoryHandle[]> {
  const found: MemoryHandle[] = [];
  const root = await disk.root.getDirectoryHandle('inpage-models');
  for await (const model of root.values()) {
    if (!(model instanceof MemoryFolder)) continue;
    for await (const [name, handle] of model.entries()) if (name.endsWith(ending)) found.push(handle as MemoryHandle);
  }
  return found;
}

describe('a download', () => {
  it('goes on where a killed worker stopped, at any point: no byte comes twice', async () => {
    const kills = 12;
    for (let kill = 1; kill <= kills; kill++) {
      const over = new AbortController();
      const onProgress = ({ loadedBytes }: LoadProgress): void => {
        if (loadedBytes < (kill / (kills + 1)) * TOTAL || over.signal.aborted) return;
        disk.kill();
        over.abort();
      };
      const dying = load({ signal: over.signal, onProgress });
      await expect(Promise.all(NAMES.map((name) => dying.find(name)))).rejects.toMatchObject({
        name: 'InferenceError',
      });
    }
    await expectAll();
    // A piece of each connection was on its way.
    expect(network.sent).toBeLessThan(TOTAL + kills * 4 * network.behaviour.chunkBytes);
    expect(network.sent).toBeGreaterThanOrEqual(TOTAL);
  });

  it('is one for two tabs: the one that waits hears how far it is', async () => {
    store.locks = memoryLocks();
    network.behaviour.chunkPause = 1;
    const reports: LoadProgress[] = [];
    await Promise.all([expectAll(), expectAll({ reports })]);
    expect(network.sent).toBe(TOTAL);
    expect(reports.some(({ waiting }) => waiting === 'other-tab')).toBe(true);
  });

  it('that is cancelled stops the bytes, and keeps what came', async () => {
    const over = new AbortController();
    const onProgress = ({ loadedBytes }: LoadProgress): void => {
      if (loadedBytes > TOTAL / 3) over.abort();
    };
    const files = load({ signal: over.signal, onProgress });
    await expect(files.find('weights.bin')).rejects.toMatchObject({ code: 'cancelled' });
    const { sent } = network;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(network.sent).toBe(sent);
    expect(sent).toBeLessThan(TOTAL / 2);
    await expectAll();
    expect(network.sent).toBeLessThan(TOTAL + 4 * network.behaviour.chunkBytes + 1);
  });
});

describe('what is kept', () => {
  it('is listed, used without a network, and given back', async () => {
    const integrity = Object.fromEntries(NAMES.map((name) => [name, sha256Of(FILES[name])]));
    await expectAll({ integrity });
    const sources = {
      models: [{ id: 'm', backend: 'transformers' as const, source: folder() }],
      load: { pageURL: folder() },
    };
    expect(await listStored(sources as never)).toMatchObject([
      { models: ['m'], source: folder(), bytes: TOTAL, complete: true, verified: true },
    ]);
    await network.close();
    await expectAll({ integrity });
    await store.storage.removeModel(folder());
    expect(await listStored(sources as never)).toEqual([]);
  });

  it.each<[string, string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>]>([
    [
      'flipped',
      '.bytes',
      (bytes) => bytes.fill(bytes[7 % bytes.length]! ^ 1, 7 % bytes.length, (7 % bytes.length) + 1),
    ],
    ['truncated', '.bytes', (bytes) => bytes.slice(0, -1)],
    ['emptied', '.bytes', () => new Uint8Array(0)],
    ['foreign', '.bytes', (bytes) => bytes.fill(65)],
    ['longer', '.bytes', (bytes) => Uint8Array.from(Buffer.concat([bytes.subarray(0, 9), bytes]))],
    ['without a record', '.record', () => new Uint8Array(0)],
    ['with a wrong record', '.record', (bytes) => bytes.fill(125, 4)],
  ])('and was damaged in every file, %s, heals, with stated hashes and without', async (_, ending, change) => {
    for (const integrity of [undefined, Object.fromEntries(NAMES.map((name) => [name, sha256Of(FILES[name])]))]) {
      await expectAll({ integrity });
      const damaged = await handles(ending);
      expect(damaged).toHaveLength(NAMES.length);
      for (const handle of damaged) handle.overwrite(change);
      await expectAll({ integrity });
    }
  });

  it('and was removed heals', async () => {
    await expectAll();
    const root = await disk.root.getDirectoryHandle('inpage-models');
    for (const model of root.children.values()) {
      for (const name of (model as MemoryFolder).children.keys()) {
        if (name.endsWith('.bytes')) (model as MemoryFolder).children.delete(name);
      }
    }
    await expectAll();
  });
});

describe('a disk that is full', () => {
  it('is told by the first write that fails, when the browser says that there is room', async () => {
    disk.free = 10 * MB;
    store.freeBytes = async () => 10_240 * MB;
    const files = load();
    await files.prepare(NAMES);
    const thrown = (await files.find('weights.bin').catch((error: unknown) => error)) as InferenceError;
    expect(thrown.code).toBe('insufficient_resources');
    expect(thrown.message).toMatch(
      /^There is not enough storage for `model`: the browser stopped after \d+ MB of 19 MB of `weights.bin`, although it had reported 10240 MB free\.$/,
    );
    expect(thrown.details.neededBytes).toBe(WEIGHTS.length);
    expect(thrown.details.freeBytes).toBeLessThan(WEIGHTS.length);
  });

  it.each([
    ['refuses', 10 * MB, Infinity],
    ['loses', Infinity, 10 * MB],
  ])('and %s bytes does not keep an engine from its files: they come from the network', async (_, free, holds) => {
    Object.assign(disk, { free, holds });
    const files = load();
    await files.prepare(NAMES);
    // Some engines name files by their URLs.
    const bytes = await (await files.read(`${folder()}weights.bin`))!.bytes();
    expect(sha256Of(bytes)).toBe(sha256Of(WEIGHTS));
    // Nothing of it is left, and a download says why.
    await expect(load().find('weights.bin')).rejects.toMatchObject({ code: 'insufficient_resources' });
    expect((await store.storage.find({ model: folder(), file: 'weights.bin' }))?.bytes ?? 0).toBe(0);
    Object.assign(disk, { free: Infinity, holds: Infinity });
    await expectAll();
  });

  it.each([true, false])(
    'and loses bytes of a complete file is noticed before an engine gets them',
    async (isSizeRight) => {
      disk.saysWhatItLost = isSizeRight;
      await expectAll();
      const files = load();
      const found = await files.read('weights.bin');
      Object.assign(disk, { holds: 10 * MB });
      expect(sha256Of(await found!.bytes())).toBe(sha256Of(WEIGHTS));
    },
  );

  it('leaves no half file behind, and says how much is needed', async () => {
    disk.free = 10 * MB;
    const files = load();
    await files.prepare(NAMES);
    await expect(files.find('weights.bin')).rejects.toMatchObject({
      code: 'insufficient_resources',
      details: { neededBytes: WEIGHTS.length },
    });
    expect(await handles('.bytes')).toHaveLength(1);
    disk.free = Infinity;
    await expectAll();
  });
});
