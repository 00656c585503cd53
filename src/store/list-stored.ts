/** What is stored of models on this device, and how to remove it. @module */
import type { FileStatus, ModelNote } from './storage/byte-storage.js';
import { filesFolderOf } from './sources/hub.js';
import { InferenceError, isInferenceError } from '../core/errors/inference-error.js';
import type { LoadOptions } from '../core/models/backend.js';
import { listModels } from '../core/models/catalog.js';
import type { ModelEntry } from '../core/models/model-entry.js';
import type { PromptCacheUsage, StoredModel } from '../core/models/stored-model.js';
import { hold } from '../core/platform/hold-lock.js';
import { fileLock } from './download/fetch-file.js';
import { listCachedPrompts, removeCachedPrompts } from './prompts/prompt-block-store.js';
import { OpfsStorage } from './storage/opfs-storage.js';
import { opened } from './storage/store-environment.js';
import { inUse } from './storage/opfs-access.js';

/** @internal Where a page's entries have their files. */
export interface Sources {
  models: readonly ModelEntry[];
  load: Pick<LoadOptions, 'pageURL' | 'hub'>;
}

/** @internal Those whose models consist of files. */
export const BACKENDS_WITH_FILES: readonly ModelEntry['backend'][] = ['gguf', 'transformers', 'web-llm'];

/** @internal Everything that is stored, the most recently used first. */
export async function listStored(sources: Sources): Promise<StoredModel[]> {
  const [caches, stored] = await Promise.all([
    promptCaches(),
    opened(OpfsStorage).then(async (storage) => storage?.list() ?? []),
  ]);
  const models = stored.map(({ note, files }) => {
    const promptCache = caches.get(note.model)?.usage;
    caches.delete(note.model);
    return describe(note, files, promptCache, sources);
  });
  // Prompts of models whose files are gone.
  for (const [model, { usage: promptCache, lastUsed }] of caches)
    models.push({ ...describe({ model, wanted: [], lastUsed }, [], promptCache, sources), complete: false });
  // By name where two were used at the same time, so that the order is the same again.
  return models.toSorted((a, b) => b.lastUsed - a.lastUsed || (a.source < b.source ? -1 : 1));
}

/**
 * Removes a model's files.
 * @internal
 * @param unload ends the engine of a model of the catalog
 * @throws InferenceError `model_not_found`, or `unavailable` while a tab fetches it
 */
export async function removeStored(
  model: string,
  sources: Sources,
  unload: (model: string) => Promise<void>,
): Promise<void> {
  const entry = sources.models.find(({ id, aliases }) => id === model || aliases?.includes(model));
  if (entry) await unload(entry.id);
  // Models that are in no catalog any more are named by the folder that `stored` tells.
  const folders = entry ? listFolders(entry, sources) : [model];
  const stored = (await listStored(sources)).filter(({ source }) => folders.includes(source));
  if (!entry && stored.length === 0) {
    throw new InferenceError('model_not_found', unknownModel(model, sources), { param: 'model' });
  }
  // A load that failed early has left files of a model that is not listed.
  const releases = await lockAll(stored);
  try {
    const root = await promptRoot();
    const storage = await opened(OpfsStorage);
    for (const folder of folders) {
      if (root) await removeCachedPrompts({ root, locks: navigator.locks }, folder);
      await storage?.removeModel(folder);
    }
  } catch (thrown) {
    throw isInferenceError(thrown) ? thrown : inUse(thrown);
  } finally {
    for (const release of releases) release();
  }
}

function unknownModel(model: string, { models }: Sources): string {
  const available = models.length === 0 ? '' : ` Available models: ${listModels(models)}.`;
  return `The model \`${model}\` does not exist.${available} For files of a model that is not in \`models\`, pass the \`source\` that \`stored()\` lists.`;
}

async function lockAll(stored: readonly StoredModel[]): Promise<(() => void)[]> {
  const releases: (() => void)[] = [];
  const all = stored.flatMap(({ source, files }) => files.map(({ file }) => ({ model: source, file })));
  for (const { model, file } of all) {
    const release = await hold(navigator.locks, fileLock({ model, file }), { ifAvailable: true });
    if (release) releases.push(release);
    else {
      for (const taken of releases) taken();
      throw new InferenceError('unavailable', `The model's file \`${file}\` is being downloaded.`, { retryAfter: 5 });
    }
  }
  return releases;
}

/** Where prompts are stored; undefined where this browser has no such file system. */
async function promptRoot(): Promise<FileSystemDirectoryHandle | undefined> {
  const { storage } = navigator as { storage?: StorageManager };
  return storage?.getDirectory?.().catch(() => undefined);
}

async function promptCaches(): ReturnType<typeof listCachedPrompts> {
  const root = await promptRoot();
  return root ? listCachedPrompts(root) : new Map();
}

function describe(
  note: ModelNote,
  stored: readonly FileStatus[],
  promptCache: PromptCacheUsage | undefined,
  sources: Sources,
): StoredModel {
  const there = stored.filter(({ metadata }) => metadata.state !== 'absent');
  const files = there.map(({ metadata, bytes, untouched }) => ({
    file: metadata.file,
    bytes,
    complete: untouched,
    verified: untouched && metadata.verified,
  }));
  const done = new Set(
    stored
      .filter(({ metadata, untouched }) => untouched || metadata.state === 'absent')
      .map(({ metadata }) => metadata.file),
  );
  return {
    models: sources.models.filter((entry) => listFolders(entry, sources).includes(note.model)).map(({ id }) => id),
    source: note.model,
    files,
    ...(promptCache && { promptCache }),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, promptCache?.bytes ?? 0),
    complete: note.wanted.every((file) => done.has(file)),
    verified: files.length > 0 && files.every(({ verified }) => verified),
    lastUsed: note.lastUsed,
  };
}

/** Those of a model and its adapters. */
function listFolders(entry: ModelEntry, { load: { pageURL, hub } }: Sources): string[] {
  if (!BACKENDS_WITH_FILES.includes(entry.backend)) return [];
  // WebLLM's own list has its models in one place on the hub.
  const isListed = entry.backend === 'web-llm' && entry.modelLibrary === undefined;
  const source = isListed ? `mlc-ai/${entry.source ?? entry.id}` : entry.source;
  const own = filesFolderOf({ ...entry, ...(source !== undefined && { source }) }, pageURL, hub);
  const { id, backend, loras = [] } = entry;
  return [...new Set([own, ...loras.map((lora) => filesFolderOf({ id, backend, ...lora }, pageURL, hub))])];
}
