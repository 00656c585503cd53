/** The cache of files on a disk. */
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/store/storage/digest.js';
import { newMetadata } from '../../../src/store/storage/byte-storage.js';
import { DiskStorage } from '../../../src/serve/models/disk-storage.js';

const MODEL = 'https://hub.test/owner/name/resolve/main/';
const LOCATION = { model: MODEL, file: 'onnx/model.onnx' };
const BYTES = Uint8Array.from({ length: 250 }, (_, index) => index);

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'inpage-disk-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function store(storage: DiskStorage, bytes: Uint8Array = BYTES): Promise<void> {
  const file = await storage.open(LOCATION);
  const metadata = { ...newMetadata(LOCATION, `${MODEL}onnx/model.onnx`, 100), size: BYTES.length };
  await file.reset(metadata);
  for (const part of [0, 1, 2]) await file.append(part, bytes.subarray(part * 100, (part + 1) * 100));
  if (bytes.length === BYTES.length) {
    const hashes = await Promise.all(
      [0, 1, 2].map((part) => sha256(new Uint8Array(bytes.slice(part * 100, (part + 1) * 100)))),
    );
    await file.finish({ ...metadata, state: 'complete', hashes, verified: true });
  }
  await file.close();
}

const names = (): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' });

describe('DiskStorage', () => {
  it('[Y45] a file has its name when it is whole, and not before', async () => {
    const storage = new DiskStorage(folder);
    await store(storage, BYTES.subarray(0, 150));
    expect(names().some((name) => name.endsWith('model.onnx'))).toBe(false);
    expect(await storage.find(LOCATION)).toMatchObject({ bytes: 150, untouched: false });
    await store(storage);
    expect(readFileSync(storage.pathOf(LOCATION))).toEqual(Buffer.from(BYTES));
    expect(storage.pathOf(LOCATION).endsWith(join('onnx', 'model.onnx'))).toBe(true);
    expect(await storage.find(LOCATION)).toMatchObject({ bytes: 250, untouched: true });
  });

  it('[Y45] knows that a file was changed, cut, or only touched, and compares hashes once in each run', async () => {
    const storage = new DiskStorage(folder, { run: 'one' });
    await store(storage);
    const path = storage.pathOf(LOCATION);
    const { mtime } = statSync(path);
    writeFileSync(
      path,
      BYTES.map((byte) => byte ^ 1),
    );
    utimesSync(path, mtime, mtime);
    // This run has compared it.
    expect((await storage.find(LOCATION))?.untouched).toBe(true);
    expect((await new DiskStorage(folder, { run: 'two' }).find(LOCATION))?.untouched).toBe(false);
    writeFileSync(path, BYTES);
    utimesSync(path, mtime, mtime);
    const another = new DiskStorage(folder, { run: 'three' });
    expect((await another.find(LOCATION))?.untouched).toBe(true);
    utimesSync(path, new Date(1), new Date(1));
    expect((await another.find(LOCATION))?.untouched).toBe(false);
    writeFileSync(path, BYTES.subarray(0, 99));
    expect(await another.find(LOCATION)).toMatchObject({ bytes: 99, untouched: false });
    // It is opened to be mended: then it is not whole any more.
    const file = await another.open(LOCATION);
    expect(existsSync(path)).toBe(false);
    expect((await file.read(0)).length).toBe(99);
    await file.close();
  });

  it('goes on where a process was killed just before it noted that a file is whole', async () => {
    const storage = new DiskStorage(folder);
    await store(storage);
    const record = names().find((name) => name.endsWith('.record'))!;
    const noted = JSON.parse(readFileSync(join(folder, record), 'utf8')) as { metadata: { state: string } };
    writeFileSync(
      join(folder, record),
      JSON.stringify({ ...noted, metadata: { ...noted.metadata, state: 'partial' } }),
    );
    writeFileSync(
      join(folder, record.replace('.record', '.parts')),
      new Uint8Array(Uint32Array.of(100, 100, 50).buffer),
    );
    expect(await storage.find(LOCATION)).toMatchObject({ bytes: 250, untouched: false });
    const file = await storage.open(LOCATION);
    expect(await file.read(2)).toEqual(new Uint8Array(BYTES.subarray(200)));
    await file.close();
  });

  it('[Y48] lists models with their files, and removes them', async () => {
    const storage = new DiskStorage(folder);
    await store(storage);
    await storage.saveNote({ model: MODEL, wanted: ['onnx/model.onnx'], lastUsed: 5 });
    expect(await storage.list()).toMatchObject([{ note: { model: MODEL, lastUsed: 5 }, files: [{ bytes: 250 }] }]);
    // What is no model of the cache stays, whatever folder was named.
    appendFileSync(join(folder, 'mine.txt'), 'x');
    for (const { note } of await storage.list()) await storage.removeModel(note.model);
    expect(names()).toEqual(['mine.txt']);
  });

  it('[Y49] a place that cannot be written has no room, and says why', async () => {
    const place = join(folder, 'file');
    writeFileSync(place, '');
    const told: (string | undefined)[] = [];
    const storage = new DiskStorage(join(place, 'cache'), { onRefused: ({ code }) => void told.push(code) });
    await expect(storage.open(LOCATION)).rejects.toMatchObject({ name: 'QuotaExceededError' });
    expect(told).toEqual(['ENOTDIR']);
    expect(await storage.find(LOCATION)).toBeUndefined();
    await storage.remove(LOCATION);
  });

  it('a name that leads out of the folder does not', () => {
    const storage = new DiskStorage(folder);
    for (const file of [
      '../../x',
      '/etc/passwd',
      'https://other.test/lib.wasm',
      'a/../b',
      '.inpage/note.json',
      'C:\\x',
    ])
      expect(storage.pathOf({ model: MODEL, file }).startsWith(join(storage.pathOf(LOCATION), '../..'))).toBe(true);
    expect(statSync(folder).isDirectory()).toBe(true);
  });
});

it.runIf(existsSync('/proc'))('[Y49] a folder that cannot be made is storage without room, at once', async () => {
  const refused: (string | undefined)[] = [];
  const nowhere = new DiskStorage('/proc/nobody/cache', { onRefused: ({ code }) => refused.push(code) });
  await expect(nowhere.open({ model: 'https://hub.test/a/', file: 'a.gguf' })).rejects.toMatchObject({
    name: 'QuotaExceededError',
  });
  expect(refused).toEqual(['ENOENT']);
});
