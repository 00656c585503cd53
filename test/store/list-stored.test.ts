/** What is kept of a model's prompts, as a page sees it: a disk in memory. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { listStored, removeStored, type Sources } from '../../src/store/list-stored.js';
import { uninstallInference } from '../../src/page/uninstall-inference.js';
import { PromptBlockStore } from '../../src/store/prompts/prompt-block-store.js';
import { OpfsStorage } from '../../src/store/storage/opfs-storage.js';
import { memoryLocks } from './support/memory-locks.js';
import { type MemoryDisk, memoryDisk, MemoryFolder, MemoryHandle } from './support/memory-opfs.js';

const FOLDER = 'https://app.test/models/m/';
const SOURCES: Sources = {
  models: [{ id: 'm', task: 'chat', backend: 'transformers', source: '/models/m' }],
  load: { pageURL: 'https://app.test/', hub: 'https://huggingface.co' },
};
const root = (): FileSystemDirectoryHandle => disk.root as unknown as FileSystemDirectoryHandle;

let disk: MemoryDisk;
beforeEach(() => {
  disk = memoryDisk();
  vi.stubGlobal('FileSystemFileHandle', MemoryHandle);
  vi.stubGlobal('document', { baseURI: 'https://app.test/' });
  vi.stubGlobal('navigator', { storage: { getDirectory: async () => disk.root }, locks: memoryLocks() });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function keepPrompt(source: string): Promise<void> {
  const kept = (await PromptBlockStore.open(source, { root: root(), locks: undefined, maxBytes: 1e6 }))!;
  const block = { key: 'a'.repeat(64), parent: 'b'.repeat(64), bytes: async () => new Uint8Array(1000) };
  expect(await kept.write([block], new AbortController().signal)).toBe(true);
}

/** A model's files: one of 5 bytes. */
async function keepFile(): Promise<void> {
  const storage = (await OpfsStorage.create())!;
  await storage.saveNote({ model: FOLDER, wanted: ['a.bin'], lastUsed: 5 });
  const file = await storage.open({ model: FOLDER, file: 'a.bin' });
  const record = { model: FOLDER, file: 'a.bin', url: `${FOLDER}a.bin`, state: 'partial', size: 5 } as const;
  const rest = {
    partBytes: 8,
    etag: undefined,
    modified: undefined,
    contentType: undefined,
    hashes: [],
    verified: true,
  };
  await file.reset({ ...record, ...rest });
  await file.append(0, new Uint8Array(5));
  await file.finish({ ...record, ...rest, state: 'complete' });
}

it('[P06] a model has its prompts beside its files, and they count in its bytes', async () => {
  await keepFile();
  const [before] = await listStored(SOURCES);
  expect(before).not.toHaveProperty('promptCache');
  expect(before!.bytes).toBe(5);
  await keepPrompt(FOLDER);
  const [model, ...others] = await listStored(SOURCES);
  expect(others).toEqual([]);
  expect(model!.promptCache!.count).toBe(1);
  expect(model!.promptCache!.bytes).toBeGreaterThan(1000);
  expect(model!.bytes).toBe(5 + model!.promptCache!.bytes);
  expect(model).toMatchObject({ models: ['m'], complete: true, verified: true, lastUsed: 5 });
});

it('[P06] prompts are listed alone where the files are gone, and removed by name or by source', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1000 });
  await keepPrompt(FOLDER);
  vi.setSystemTime(2000);
  await keepPrompt('https://app.test/models/old/');
  const listed = await listStored(SOURCES);
  expect(listed.map(({ models, source, files, complete }) => ({ models, source, files, complete }))).toEqual([
    { models: [], source: 'https://app.test/models/old/', files: [], complete: false },
    { models: ['m'], source: FOLDER, files: [], complete: false },
  ]);
  const unload = vi.fn<(model: string) => Promise<void>>(async () => {});
  await removeStored('m', SOURCES, unload);
  expect(unload).toHaveBeenCalledExactlyOnceWith('m');
  expect((await listStored(SOURCES)).map(({ source }) => source)).toEqual(['https://app.test/models/old/']);
  await removeStored('https://app.test/models/old/', SOURCES, unload);
  expect(await listStored(SOURCES)).toEqual([]);
});

it('a model that nothing is known of is refused with what could be meant', async () => {
  await expect(removeStored('n', SOURCES, async () => {})).rejects.toMatchObject({
    code: 'model_not_found',
    message:
      'The model `n` does not exist. Available models: `m`. For files of a model that is not in `models`, pass the `source` that `stored()` lists.',
  });
});

it('[P06] `uninstallInference` removes prompts and files of all models, and every database', async () => {
  const deleted: string[] = [];
  vi.stubGlobal('indexedDB', {
    deleteDatabase(name: string) {
      deleted.push(name);
      const request = new EventTarget();
      queueMicrotask(() => request.dispatchEvent(new Event('success')));
      return request;
    },
  });
  await keepFile();
  await keepPrompt(FOLDER);
  await uninstallInference();
  expect(await listStored(SOURCES)).toEqual([]);
  expect(deleted).toEqual(['inpage-responses', 'inpage-files', 'inpage-counters']);
});

it('what a load left that failed before it said what it wants is removed, though it is not listed', async () => {
  await keepFile();
  const models = await disk.root.getDirectoryHandle('inpage-models');
  for await (const folder of models.values())
    if (folder instanceof MemoryFolder) await folder.removeEntry('model.json');
  expect(await listStored(SOURCES)).toEqual([]);
  await removeStored('m', SOURCES, async () => {});
  expect(models.children.size).toBe(0);
});
