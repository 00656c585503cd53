/**
 * The files of a server's models, as Ollama's operations list and remove them: those of the cache, and those that are read where
 * they are, which nobody removes.
 * @module
 */
import { readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { StoredFile, StoredModel } from '../../core/models/stored-model.js';
import { chooseFiles, partsOf } from '../../page/diagnosis/estimate-model.js';
import type { ModelStore } from '../../service/http/endpoint/http-context.js';
import { fileLock } from '../../store/download/fetch-file.js';
import { BACKENDS_WITH_FILES, type Sources } from '../../store/list-stored.js';
import { filesFolderOf } from '../../store/sources/hub.js';
import type { ByteStorage, FileStatus, ModelNote } from '../../store/storage/byte-storage.js';
import type { Locks, Unlock } from './file-locks.js';

/** Where a server's models have their files. */
export interface DiskModelsOptions extends Sources {
  /** The cache. */
  storage: Pick<ByteStorage, 'list' | 'removeModel'>;
  /** Of all that use the cache. */
  locks: Locks;
  /** Ends the engine of a model. */
  unload: (model: string) => Promise<void>;
}

/** A folder with files of models. */
interface Folder {
  files: readonly StoredFile[];
  note?: ModelNote;
}

/** See the module. */
export class DiskModels implements ModelStore {
  readonly #options: DiskModelsOptions;

  constructor(options: DiskModelsOptions) {
    this.#options = options;
  }

  /** An element for each entry of whose files something is there. */
  async list(): Promise<StoredModel[]> {
    const cached = new Map((await this.#options.storage.list()).map((each) => [each.note.model, folderInCache(each)]));
    const all = await Promise.all(this.#options.models.map((entry) => this.#describe(entry, cached)));
    return all.filter((model) => model !== undefined);
  }

  /** @throws InferenceError `unavailable` while one of the files is fetched */
  async remove(model: string): Promise<void> {
    const { storage, unload } = this.#options;
    await unload(model);
    const entry = this.#options.models.find(({ id }) => id === model);
    const folders = (entry ? this.#partsOf(entry) : []).map(({ folder }) => folder);
    const stored = (await storage.list()).filter(({ note }) => folders.includes(note.model));
    const locked = stored.flatMap(({ note, files }) =>
      files.map(({ metadata }) => fileLock({ model: note.model, file: metadata.file })),
    );
    const unlock = await this.#lockAll(locked);
    try {
      for (const { note } of stored) await storage.removeModel(note.model);
    } finally {
      unlock();
    }
  }

  async #describe(entry: ModelEntry, cached: ReadonlyMap<string, Folder>): Promise<StoredModel | undefined> {
    const found = this.#partsOf(entry).map(async (part) => {
      const folder = part.folder.startsWith('file:')
        ? folderOnDisk(part.folder, entry.backend !== 'gguf')
        : cached.get(part.folder);
      return { folder, files: folder ? await filesOf(part.entry, folder, this.#options.load.pageURL) : [] };
    });
    const parts = await Promise.all(found);
    const files = parts.flatMap((part) => part.files);
    if (files.length === 0) return undefined;
    const isWhole = parts.every(({ folder }) => folder !== undefined && wantedAreThere(folder));
    return {
      models: [entry.id],
      source: this.#partsOf(entry)[0]!.folder,
      files,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      // What an entry lacks is not seen where another of its folder was fetched last.
      complete: isWhole && files.every(({ complete }) => complete) && !this.#sharesFolder(entry),
      verified: files.every(({ verified }) => verified),
      lastUsed: Math.max(...parts.map(({ folder }) => folder?.note?.lastUsed ?? 0)),
    };
  }

  /** The model and its adapters, with their folders. */
  #partsOf(entry: ModelEntry): { entry: ModelEntry; folder: string }[] {
    if (!BACKENDS_WITH_FILES.includes(entry.backend)) return [];
    const { pageURL, hub } = this.#options.load;
    return partsOf(entry).map((part) => ({ entry: part, folder: filesFolderOf(part, pageURL, hub) }));
  }

  #sharesFolder(entry: ModelEntry): boolean {
    const own = this.#partsOf(entry).map(({ folder }) => folder);
    const others = this.#options.models.filter((each) => each !== entry).flatMap((each) => this.#partsOf(each));
    return others.some(({ folder }) => own.includes(folder) && !folder.startsWith('file:'));
  }

  async #lockAll(names: readonly string[]): Promise<Unlock> {
    const held: Unlock[] = [];
    const unlock = (): void => held.forEach((each) => each());
    for (const name of names) {
      const lock = await this.#options.locks.take(name, { waits: false, signal: new AbortController().signal });
      if (lock) held.push(lock);
      else {
        unlock();
        throw new InferenceError('unavailable', 'A file of the model is being downloaded.', { retryAfter: 5 });
      }
    }
    return unlock;
  }
}

function folderInCache({ note, files }: { note: ModelNote; files: FileStatus[] }): Folder {
  const there = files.filter(({ metadata }) => metadata.state !== 'absent');
  return {
    note,
    files: there.map(({ metadata, bytes, untouched }) => ({
      file: metadata.file,
      bytes,
      complete: untouched,
      verified: untouched && metadata.verified,
    })),
  };
}

/** Undefined: there is no such folder, or it may not be read. @param isDeep what is in its folders counts too */
function folderOnDisk(url: string, isDeep: boolean): Folder | undefined {
  const root = fileURLToPath(url);
  try {
    const names = readdirSync(root, { recursive: isDeep }).map(String);
    const files = names.flatMap((name) => {
      const stat = statSync(join(root, name), { throwIfNoEntry: false });
      const file = name.split(sep).join('/');
      return stat?.isFile() ? [{ file, bytes: stat.size, complete: true, verified: false }] : [];
    });
    return { files };
  } catch {
    return undefined;
  }
}

/** Those of a folder that a load of the entry opens; none where the entry names none of them. */
async function filesOf(entry: ModelEntry, { files }: Folder, pageURL: string): Promise<StoredFile[]> {
  const sizes = new Map(files.map(({ file, bytes }) => [file, bytes]));
  const device = { roomBytes: undefined, memoryGB: 0, gpu: undefined };
  try {
    const chosen = await chooseFiles(entry, sizes, device, pageURL);
    // Where the list does not say which, a load may have opened any.
    return chosen ? files.filter(({ file }) => chosen.includes(file)) : [...files];
  } catch {
    return [];
  }
}

/** Everything that its last load asked for. A folder of the disk has what it has. */
function wantedAreThere({ note, files }: Folder): boolean {
  const there = new Set(files.filter(({ complete }) => complete).map(({ file }) => file));
  return note === undefined || note.wanted.every((file) => there.has(file));
}
