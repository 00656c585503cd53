/** What Ollama's operations tell of the files of a server's models, and remove of them. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/index.js';
import { DiskModels } from '../../../src/serve/models/disk-models.js';
import { DiskStorage } from '../../../src/serve/models/disk-storage.js';
import { FileLocks } from '../../../src/serve/models/file-locks.js';
import { fileLock } from '../../../src/store/download/fetch-file.js';
import { newMetadata } from '../../../src/store/storage/byte-storage.js';

const HUB_FOLDER = 'https://huggingface.co/owner/name/resolve/main/';
const entry = (id: string, source: string, file?: string): ModelEntry => ({
  id,
  task: 'chat',
  backend: 'gguf',
  source,
  ...(file !== undefined && { file }),
});

let root: string;
let storage: DiskStorage;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inpage-models-'));
  storage = new DiskStorage(join(root, 'cache'));
});
afterEach(() => rmSync(root, { recursive: true }));

async function fetched(file: string, bytes: number): Promise<void> {
  const location = { model: HUB_FOLDER, file };
  const open = await storage.open(location);
  const metadata = { ...newMetadata(location, HUB_FOLDER + file, 1e6), state: 'partial' as const, size: bytes };
  await open.reset(metadata);
  await open.append(0, new Uint8Array(bytes));
  await open.finish({ ...metadata, state: 'complete' });
  await open.close();
  await storage.saveNote({ model: HUB_FOLDER, wanted: [file], lastUsed: 5 });
}

function open(models: ModelEntry[], unloaded: string[] = []) {
  const locks = new FileLocks(undefined);
  const unload = async (id: string): Promise<void> => void unloaded.push(id);
  const load = { pageURL: 'http://localhost:1/' };
  return { locks, models: new DiskModels({ models, load, storage, locks, unload }) };
}

it('[O19] the size of a model is that of its own files, in the cache and where they are', async () => {
  mkdirSync(join(root, 'own'));
  writeFileSync(join(root, 'own/a.gguf'), 'x'.repeat(30));
  writeFileSync(join(root, 'own/b.gguf'), 'x'.repeat(70));
  await fetched('m-Q4_0.gguf', 400);
  await fetched('m-Q8_0.gguf', 800);
  const { models } = open([
    entry('small', 'owner/name', 'm-Q4_0.gguf'),
    entry('large', 'owner/name', 'm-Q8_0.gguf'),
    entry('a', pathToFileURL(join(root, 'own/a.gguf')).href),
    entry('b', pathToFileURL(join(root, 'own')).href, 'b*.gguf'),
    entry('gone', pathToFileURL(join(root, 'nowhere/a.gguf')).href),
    entry('other', 'owner/other'),
    { id: 'scripted', task: 'chat', backend: 'scripted', script: { replies: [] } },
  ]);
  const sizes = (await models.list()).map(({ models: [id], bytes }) => [id, bytes]);
  expect(Object.fromEntries(sizes)).toEqual({ small: 400, large: 800, a: 30, b: 70 });
});

it('[O21] [Y47] removes what was fetched, and nothing that is read where it is', async () => {
  const path = join(root, 'mine.gguf');
  writeFileSync(path, 'x'.repeat(30));
  await fetched('m-Q4_0.gguf', 400);
  const unloaded: string[] = [];
  const all = [entry('small', 'owner/name', 'm-Q4_0.gguf'), entry('mine', pathToFileURL(path).href)];
  const { models } = open(all, unloaded);
  expect((await models.list()).map(({ complete }) => complete)).toEqual([true, true]);
  await models.remove('small');
  await models.remove('mine');
  expect([unloaded, await storage.list(), existsSync(path)]).toEqual([['small', 'mine'], [], true]);
  expect((await models.list()).map(({ models: [id] }) => id)).toEqual(['mine']);
});

it('[O21] refuses to remove what is being fetched', async () => {
  await fetched('m-Q4_0.gguf', 400);
  const { models, locks } = open([entry('small', 'owner/name')]);
  const name = fileLock({ model: HUB_FOLDER, file: 'm-Q4_0.gguf' });
  const unlock = await locks.take(name, { waits: false, signal: new AbortController().signal });
  await expect(models.remove('small')).rejects.toMatchObject({ code: 'unavailable' });
  unlock!();
  await models.remove('small');
  expect(await storage.list()).toEqual([]);
});
