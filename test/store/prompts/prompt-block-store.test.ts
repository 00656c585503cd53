/** Blocks of prompts on a disk, as workers keep them: whatever happens to the worker, the disk and other tabs. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BlockName } from '../../../src/store/prompts/block-name.js';
import {
  PromptBlockStore,
  listCachedPrompts,
  removeAllCachedPrompts,
  removeCachedPrompts,
} from '../../../src/store/prompts/prompt-block-store.js';
import { memoryLocks } from '../support/memory-locks.js';
import { type MemoryDisk, memoryDisk, MemoryFolder, MemoryHandle } from '../support/memory-opfs.js';
const SOURCE = 'https://app.test/m/';
const SIZE = 1000;
/** A block's file is its bytes and a header. */
const FILE = SIZE + 76;
const NOTHING = new AbortController().signal;

let disk: MemoryDisk;
let locks: LockManager;
let time: number;

beforeEach(() => {
  disk = memoryDisk();
  locks = memoryLocks();
  time = 1e12;
  vi.spyOn(Date, 'now').mockImplementation(() => (time += 1000));
  vi.stubGlobal('FileSystemFileHandle', MemoryHandle);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** How a file is opened for writing, before a test changes it. */
const openAccess = Reflect.get(MemoryHandle.prototype, 'createSyncAccessHandle');

const root = (): FileSystemDirectoryHandle => disk.root as unknown as FileSystemDirectoryHandle;
const open = async (maxBytes = 1e6, source = SOURCE): Promise<PromptBlockStore> =>
  (await PromptBlockStore.open(source, { root: root(), locks, maxBytes }))!;

const hash = (text: string): string => Buffer.from(text).toString('hex').padEnd(64, '0');
/** The blocks of a prompt by its letters: prompts that begin alike have the first ones in common. */
const chain = (letters: string): BlockName[] =>
  Array.from({ length: letters.length }, (_, place) => ({
    key: hash(letters.slice(0, place + 1)),
    parent: hash(letters.slice(0, place) || '-'),
  }));
const contentOf = ({ key }: BlockName, size = SIZE): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: size }, (_, place) => (place * 7 + Number.parseInt(key.slice(0, 8), 16)) % 251);

const write = (kept: PromptBlockStore, letters: string, size = SIZE): Promise<boolean> =>
  kept.write(
    chain(letters).map((name) => ({ ...name, bytes: async () => contentOf(name, size) })),
    NOTHING,
  );

/** How many blocks of a prompt are there, from the first one on; all of them are right. */
async function readable(kept: PromptBlockStore, letters: string): Promise<number> {
  let count = 0;
  for (const name of chain(letters)) {
    const bytes = await kept.read(name);
    if (!bytes) break;
    expect(bytes).toEqual(contentOf(name));
    count += 1;
  }
  return count;
}

async function files(): Promise<[string, MemoryHandle][]> {
  const found: [string, MemoryHandle][] = [];
  for await (const folder of (await disk.root.getDirectoryHandle('inpage-prompts')).values())
    if (folder instanceof MemoryFolder)
      for await (const [name, handle] of folder.entries()) found.push([name, handle as MemoryHandle]);
  return found;
}
const blockFiles = async (): Promise<MemoryHandle[]> =>
  (await files()).filter(([name]) => name.length === 81).map(([, handle]) => handle);
const bytesOnDisk = async (): Promise<number> =>
  (await files()).reduce((sum, [, { content }]) => sum + content.size, 0);

it('[P02] keeps the blocks of a prompt for the next start, and what two prompts share once', async () => {
  const kept = await open();
  expect(await write(kept, 'abcd')).toBe(true);
  expect(await write(kept, 'abx')).toBe(true);
  const later = await open();
  expect(await readable(later, 'abcdefg')).toBe(4);
  expect(await readable(later, 'abxyz')).toBe(3);
  expect(await blockFiles()).toHaveLength(5);
  expect(await later.has(chain('q')[0]!)).toBe(false);
});

it('asks only for the bytes of blocks that are not there', async () => {
  const kept = await open();
  await write(kept, 'ab');
  const bytes = vi.fn<() => Promise<Uint8Array<ArrayBuffer>>>(async () => new Uint8Array(SIZE));
  await kept.write(
    chain('ab').map((name) => ({ ...name, bytes })),
    NOTHING,
  );
  expect(bytes).not.toHaveBeenCalled();
});

describe('[P01] the bound', () => {
  it('is never passed: what was used least recently goes, its end first', async () => {
    const kept = await open(7 * FILE);
    await write(kept, 'abc');
    await write(kept, 'xyz');
    await write(kept, 'abc');
    await write(kept, 'mn');
    expect(await bytesOnDisk()).toBeLessThanOrEqual(7 * FILE);
    expect([await readable(kept, 'abc'), await readable(kept, 'xyz'), await readable(kept, 'mn')]).toEqual([3, 1, 2]);
  });

  it('that was lowered since holds from the start on, before anything is written', async () => {
    await write(await open(), 'abcdef');
    await write(await open(1e6, 'https://app.test/n/'), 'xyz');
    await open(4 * FILE);
    await vi.waitFor(async () => expect(await bytesOnDisk()).toBeLessThanOrEqual(4 * FILE));
    expect(await blockFiles()).toHaveLength(3);
  });

  it('is of all models together', async () => {
    const first = await open(4 * FILE);
    const second = await open(4 * FILE, 'https://app.test/n/');
    await write(first, 'abc');
    await write(second, 'xyz');
    expect(await bytesOnDisk()).toBeLessThanOrEqual(4 * FILE);
    expect([await readable(first, 'abc'), await readable(second, 'xyz')]).toEqual([0, 3]);
  });

  it('cuts a prompt that has no room alone, and says so', async () => {
    const kept = await open(3 * FILE);
    expect(await write(kept, 'abcdef')).toBe(false);
    expect(await readable(kept, 'abcdef')).toBe(2);
    expect(await bytesOnDisk()).toBeLessThanOrEqual(3 * FILE);
  });

  it('holds for notes, too', async () => {
    const kept = await open(2 * FILE);
    await write(kept, 'a');
    expect(await kept.writeNote('seen', 'x'.repeat(FILE))).toBe(true);
    expect(await kept.readNote('seen')).toHaveLength(FILE);
    expect(await kept.writeNote('seen', 'y'.repeat(3 * FILE))).toBe(false);
    expect(await bytesOnDisk()).toBeLessThanOrEqual(2 * FILE);
  });
});

describe('[P05] a file that is', () => {
  it.each<[string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>]>([
    ['empty', () => new Uint8Array(0)],
    ['cut in its content', (bytes) => bytes.slice(0, 500)],
    ['cut in its header', (bytes) => bytes.slice(0, 20)],
    ['longer', (bytes) => Uint8Array.from([...bytes, 1])],
    ['damaged in one bit', (bytes) => bytes.map((byte, place) => (place === 700 ? byte ^ 1 : byte))],
    ['damaged in its header', (bytes) => bytes.map((byte, place) => (place === 3 ? byte ^ 1 : byte))],
    ['something else', () => new TextEncoder().encode('{"not": "ours"}')],
  ])('%s is ignored and removed, and kept anew', async (_, change) => {
    const kept = await open();
    await write(kept, 'abc');
    const [, second] = await blockFiles();
    second!.overwrite(change);
    expect(await readable(kept, 'abc')).toBe(1);
    expect(await blockFiles()).toHaveLength(2);
    expect(await write(kept, 'abc')).toBe(true);
    expect(await readable(kept, 'abc')).toBe(3);
  });

  it("another block's is ignored and removed", async () => {
    const kept = await open();
    await write(kept, 'ab');
    const [first, second] = await blockFiles();
    const foreign = second!.content.bytes.slice(0, second!.content.size);
    first!.overwrite(() => foreign);
    expect(await readable(kept, 'ab')).toBe(0);
    expect(await blockFiles()).toHaveLength(1);
  });
});

describe('[P05] of several damaged blocks', () => {
  const damage = async (places: readonly number[]): Promise<void> => {
    const all = await blockFiles();
    for (const place of places)
      all[place]!.overwrite((bytes) => bytes.map((byte, at) => (at === 700 ? byte ^ 1 : byte)));
  };

  it('all are stored anew at once, in a later visit', async () => {
    await write(await open(), 'abcdef');
    await damage([1, 3, 5]);
    const later = await open();
    expect(await readable(later, 'abcdef')).toBe(1);
    expect(await write(later, 'abcdef')).toBe(true);
    expect(await readable(later, 'abcdef')).toBe(6);
  });

  it('none counts as stored when there is no room for it', async () => {
    await write(await open(), 'abcd');
    await damage([1, 2]);
    const later = await open();
    disk.free = 0;
    expect(await write(later, 'abcd')).toBe(false);
  });

  it('the content of each is read once, not at each use of the prompt', async () => {
    const kept = await open();
    await write(kept, 'abc');
    const later = await open();
    await write(later, 'abc');
    const reading = vi.spyOn(later, 'read');
    expect(await write(later, 'abc')).toBe(true);
    expect(reading).not.toHaveBeenCalled();
  });
});

it('[P05] stores prompts again after its folder was removed', async () => {
  const kept = await open();
  await write(kept, 'ab');
  await removeAllCachedPrompts(root());
  expect(await readable(kept, 'ab')).toBe(0);
  expect(await write(kept, 'ab')).toBe(true);
  expect(await readable(kept, 'ab')).toBe(2);
  expect([...(await listCachedPrompts(root())).keys()]).toEqual([SOURCE]);
  await removeCachedPrompts({ root: root(), locks }, SOURCE);
  expect(await kept.writeNote('seen', 'x')).toBe(true);
});

it('[P06] a damaged name of a model lists no other model, and is mended by the next visit', async () => {
  await write(await open(), 'ab');
  const [, source] = (await files()).find(([name]) => name === 'source')!;
  for (const change of [
    (bytes: Uint8Array<ArrayBuffer>) => bytes.map((byte, at) => (at === 12 ? byte ^ 1 : byte)),
    () => new Uint8Array(0),
    (bytes: Uint8Array<ArrayBuffer>) => bytes.slice(0, 9),
  ]) {
    source.overwrite(change);
    expect([...(await listCachedPrompts(root())).keys()]).toEqual([]);
    await open();
    expect([...(await listCachedPrompts(root())).keys()]).toEqual([SOURCE]);
  }
});

it('[P05] ends quietly when the disk is full, and leaves no half file', async () => {
  const kept = await open();
  disk.free = 2.5 * FILE;
  expect(await write(kept, 'abcd')).toBe(false);
  expect(await readable(kept, 'abcd')).toBe(2);
  expect(await blockFiles()).toHaveLength(2);
  expect(await kept.writeNote('seen', 'x'.repeat(FILE))).toBe(false);
});

it('[P05] two tabs write one after the other, and neither passes the bound', async () => {
  const [one, other] = [await open(6 * FILE), await open(6 * FILE)];
  let writing = 0;
  let most = 0;
  const slowly = (kept: PromptBlockStore, letters: string): Promise<boolean> =>
    kept.write(
      chain(letters).map((name) => ({
        ...name,
        bytes: async () => {
          most = Math.max(most, (writing += 1));
          await new Promise((resolve) => setTimeout(resolve));
          writing -= 1;
          return contentOf(name);
        },
      })),
      NOTHING,
    );
  expect(await Promise.all([slowly(one, 'abcx'), slowly(other, 'abcy'), slowly(one, 'mno')])).toEqual([
    true,
    true,
    true,
  ]);
  expect(most).toBe(1);
  expect(await bytesOnDisk()).toBeLessThanOrEqual(6 * FILE);
  expect(await readable(other, 'mno')).toBe(3);
});

it('[P05] a tab that is killed 20 times while it writes leaves nothing wrong and nothing over the bound', async () => {
  const bound = 6 * FILE;
  for (let round = 1; round <= 20; round++) {
    const kept = await open(bound);
    const letters = `${String.fromCharCode(97 + (round % 5))}bcde`;
    let left = round % 6;
    // The worker ends in the middle of a block's file.
    const dying = vi.spyOn(MemoryHandle.prototype, 'createSyncAccessHandle').mockImplementation(async function (
      this: MemoryHandle,
    ) {
      const access = await openAccess.call(this);
      if ((left -= 1) < 0) {
        const whole = access.write.bind(access);
        access.write = (buffer, at) => {
          whole(buffer.subarray(0, buffer.length / 2), at);
          disk.kill();
          throw new DOMException('The worker is gone.', 'InvalidStateError');
        };
        access.truncate = () => {};
      }
      return access;
    });
    // What a dead worker would do next does not happen.
    const remove = vi.spyOn(MemoryFolder.prototype, 'removeEntry').mockRejectedValue(new Error('gone'));
    await write(kept, letters);
    dying.mockRestore();
    remove.mockRestore();
    expect(await bytesOnDisk()).toBeLessThanOrEqual(bound);
    await readable(await open(bound), letters);
  }
  const kept = await open(bound);
  expect(await write(kept, 'abcde')).toBe(true);
  expect(await readable(kept, 'abcde')).toBe(5);
});

it('gives up when another tab writes for long', async () => {
  const held = {
    request: (_: string, { signal }: LockOptions) =>
      new Promise((__, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error))),
  };
  locks = held as unknown as LockManager;
  const late = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
  const written = write(await open(), 'a');
  // A look at the bound, and a prompt.
  await vi.waitFor(() => expect(timeout).toHaveBeenCalledTimes(2));
  late.abort();
  expect(await written).toBe(false);
});

it('writes no more when it is told to stop', async () => {
  const kept = await open();
  expect(await kept.write([{ ...chain('a')[0]!, bytes: async () => new Uint8Array(1) }], AbortSignal.abort())).toBe(
    false,
  );
  expect(await blockFiles()).toHaveLength(0);
});

it('is nothing where files cannot be written in place', async () => {
  vi.stubGlobal('FileSystemFileHandle', undefined);
  expect(await PromptBlockStore.open(SOURCE, { root: root(), locks, maxBytes: 1e6 })).toBeUndefined();
});

it('[P06] lists prompts and bytes by model, and removes those of one or of all', async () => {
  expect(await listCachedPrompts(root())).toEqual(new Map());
  await removeAllCachedPrompts(root());
  const other = 'https://app.test/n/';
  const [first, second] = [await open(), await open(1e6, other)];
  await write(first, 'abc');
  await write(first, 'abx');
  await write(second, 'q');
  const listed = await listCachedPrompts(root());
  expect([...listed.keys()].toSorted()).toEqual([SOURCE, other]);
  expect(listed.get(SOURCE)!.usage).toEqual({ count: 2, bytes: 4 * FILE + SOURCE.length + 4 });
  expect(listed.get(SOURCE)!.lastUsed).toBeLessThan(listed.get(other)!.lastUsed);
  expect(listed.get(other)!.usage.count).toBe(1);
  await removeCachedPrompts({ root: root(), locks }, SOURCE);
  expect([...(await listCachedPrompts(root())).keys()]).toEqual([other]);
  expect(await (await open()).read(chain('a')[0]!)).toBeUndefined();
  await removeAllCachedPrompts(root());
  expect(await listCachedPrompts(root())).toEqual(new Map());
});
