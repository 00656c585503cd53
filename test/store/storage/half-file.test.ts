/** A file of which parts are there: several connections fill them at a time, so that the last bytes may come before others. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DiskStorage } from '../../../src/serve/models/disk-storage.js';
import { missingBytes } from '../../../src/store/download/missing-bytes.js';
import { listStored } from '../../../src/store/list-stored.js';
import { type ByteStorage, newMetadata } from '../../../src/store/storage/byte-storage.js';
import { MemoryStorage } from '../../../src/store/storage/memory-storage.js';
import { OpfsStorage } from '../../../src/store/storage/opfs-storage.js';
import { memoryLocks } from '../support/memory-locks.js';
import { memoryDisk, MemoryHandle } from '../support/memory-opfs.js';

const FOLDER = 'https://app.test/models/m/';
const LOCATION = { model: FOLDER, file: 'weights.bin' };
const PART = 100;
const SIZE = 4 * PART;

let scratch: string;
beforeEach(() => {
  const disk = memoryDisk();
  vi.stubGlobal('FileSystemFileHandle', MemoryHandle);
  vi.stubGlobal('navigator', { storage: { getDirectory: async () => disk.root }, locks: memoryLocks() });
  scratch = mkdtempSync(join(tmpdir(), 'half-file-'));
});
afterEach(() => {
  vi.unstubAllGlobals();
  rmSync(scratch, { recursive: true });
});

/** 30 bytes of the first part and 20 of the last one; a part between them came in wrong. */
async function keepHalf(storage: ByteStorage): Promise<void> {
  const file = await storage.open(LOCATION);
  await file.reset({ ...newMetadata(LOCATION, `${FOLDER}weights.bin`, PART), size: SIZE });
  for (const [part, bytes] of [
    [3, 20],
    [0, 10],
    [2, PART],
    [0, 20],
  ] as const)
    await file.append(part, new Uint8Array(bytes).fill(1));
  await file.drop(2);
  await file.close();
}

describe.each<[string, () => Promise<ByteStorage>]>([
  ['in the origin private file system', async () => (await OpfsStorage.create())!],
  ['in memory', async () => new MemoryStorage()],
  ['on the disk of a pack', async () => new DiskStorage(scratch)],
])('%s', (_, open) => {
  let storage: ByteStorage;
  beforeEach(async () => {
    storage = await open();
    await keepHalf(storage);
  });

  it('has the bytes that came, not those before the last one', async () => {
    const found = await storage.find(LOCATION);
    expect(found).toMatchObject({ bytes: 50, extent: 3 * PART + 20, untouched: false });
    const file = await storage.open(LOCATION);
    expect(Array.from(file.partLengths, (length) => length ?? 0)).toEqual([30, 0, 0, 20]);
    await file.close();
  });

  it('needs the room behind its last byte only', async () => {
    const options = { storage, sizeOf: async () => SIZE, free: SIZE };
    expect(await missingBytes([LOCATION], options)).toBe(PART - 20);
  });
});

it('`stored()` tells the bytes of a download that ended half-way', async () => {
  const storage = (await OpfsStorage.create())!;
  await storage.saveNote({ model: FOLDER, wanted: ['weights.bin'], lastUsed: 5 });
  await keepHalf(storage);
  const [model] = await listStored({ models: [], load: { pageURL: FOLDER, hub: 'https://huggingface.co' } });
  expect(model).toMatchObject({
    bytes: 50,
    complete: false,
    files: [{ file: 'weights.bin', bytes: 50, complete: false }],
  });
});
