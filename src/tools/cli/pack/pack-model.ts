/** Fetches what an entry needs into a folder that an app can serve. @module */
import { existsSync, mkdirSync, openAsBlob, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesFolderOf } from '../../../store/sources/hub.js';
import { fetchAll, openModelFiles } from '../../../store/open-model-files.js';
import type { PackChoice } from '../../../engines/common/pack-choice.js';
import { chooseForPack as chooseGguf } from '../../../engines/gguf/gguf-pack.js';
import { chooseForPack as chooseTransformers } from '../../../engines/transformers/transformers-pack.js';
import { chooseForPack as chooseWebLlm, findForPack } from '../../../engines/web-llm/web-llm-pack.js';
import type { LocalFile } from '../../../core/models/backend.js';
import type { LoadProgress, ModelEntry } from '../../../core/models/model-entry.js';
import type { ModelFiles } from '../../../store/model-files.js';
import { type StoreEnvironment, defaultEnvironment } from '../../../store/storage/store-environment.js';
import { guessTask } from '../../../engines/common/guess-task.js';
import { FileLocks, lockManagerOf } from '../../../serve/models/file-locks.js';
import { DiskStorage, KNOWN } from '../../../serve/models/disk-storage.js';
import { type FetchedFile, writePack } from './write-pack.js';

/** A run that has failed may still write. */
const LOCKS = lockManagerOf(new FileLocks(undefined));

/** Folder in the pack's own that a broken run leaves behind, and the next one goes on with. */
const UNDER_WAY = '.inpage-pack';

/** What says whose the model is, and what may be done with it: copied where the model has it. */
const CARD_AND_LICENSE = ['README.md', 'LICENSE', 'LICENSE.md', 'LICENSE.txt', 'NOTICE', 'NOTICE.md', 'NOTICE.txt'];

/** An entry whose task may still have to be found out. */
export type NamedModel = Omit<ModelEntry, 'task'> & { task?: ModelEntry['task'] };

export interface PackOptions {
  /** Where the pack goes; made when it is missing. */
  folder: string;
  /** @default the Hugging Face Hub */
  hubURL?: string | undefined;
  /** Larger files are split; undefined: none is. */
  partBytes?: number | undefined;
  /** Bytes of all files, known before the weights are fetched. */
  onTotal?: (bytes: number) => void;
  onProgress?: (progress: LoadProgress) => void;
  signal?: AbortSignal;
}

/** A pack that is done. */
export interface Packed {
  /** Says which files there are and what they must be. */
  entry: ModelEntry;
  /** Of all files. */
  bytes: number;
  files: number;
}

/**
 * Packs a model. A run that was broken off is gone on with, where it was called with the same folder.
 * @throws InferenceError `unavailable` when a file cannot be had or is not what its source states, `insufficient_resources`
 * when the disk is full; Error when the model's task cannot be told
 */
export async function packModel(named: NamedModel, options: PackOptions): Promise<Packed> {
  const { folder } = options;
  const made = mkdirSync(folder, { recursive: true });
  const work = join(folder, UNDER_WAY);
  try {
    return await packInto(work, named, options);
  } catch (thrown) {
    // Bytes that have come are stored for the next run. Where nothing has come, nothing stays.
    if (!hasBytes(work)) rmSync(made ?? work, { recursive: true, force: true });
    throw thrown;
  }
}

/** @param work where files lie until all have come */
async function packInto(work: string, named: NamedModel, options: PackOptions): Promise<Packed> {
  const { folder, partBytes, onTotal, onProgress = () => {} } = options;
  const { signal = new AbortController().signal } = options;
  const storage = new DiskStorage(work);
  const source = await resolveSource(named, options.hubURL);
  const { localFiles } = source;
  const environment: StoreEnvironment = {
    ...defaultEnvironment,
    storage,
    locks: LOCKS,
    async freeBytes() {
      const { bavail, bsize } = statfsSync(work);
      return bavail * bsize;
    },
  };
  const load = { onProgress, signal, ...(localFiles && { localFiles }) };
  const hub = options.hubURL !== undefined && { hub: options.hubURL };
  const locate: Parameters<typeof chooseGguf>[1] = async (each) => {
    const { file: _, ...others } = named;
    const { localFiles: own } = await resolveSource({ ...others, ...each }, options.hubURL);
    return { onProgress, signal, ...(own && { localFiles: own }), pageURL: NO_PAGE, ...hub };
  };
  const { files, task, choice } =
    named.backend === 'gguf'
      ? await chooseGguf(named, locate, environment)
      : await chooseFrom(named, source, load, environment);
  const wanted = [...choice.files, ...CARD_AND_LICENSE];
  const { adapters = [] } = choice;
  const adapterBytes = await Promise.all(adapters.map((adapter) => adapter.files.bytesOf([adapter.file])));
  onTotal?.(adapterBytes.reduce((sum, bytes) => sum + bytes, await files.bytesOf(wanted)));
  await fetchAll(files, wanted);
  const fetched = await listFetched(wanted, files, storage);
  for (const adapter of adapters) {
    await fetchAll(adapter.files, [adapter.file]);
    const [found] = await listFetched([adapter.file], adapter.files, storage);
    fetched.push({ ...found!, name: adapter.name });
  }
  const integrity = await writePack(folder, fetched, partBytes);
  rmSync(work, { recursive: true });
  const packed = servedAs(folder);
  const { revision: _, loras: __, ...rest } = named;
  const loras = adapters.map(({ lora, name }) => ({ source: packed, file: name, ...lora }));
  return {
    entry: {
      ...rest,
      task,
      ...choice.entry,
      ...(source.contextLength !== undefined && { contextLength: source.contextLength }),
      source: packed,
      ...(loras.length > 0 && { loras }),
      ...(source.library !== undefined && { modelLibrary: `${packed}/${packedName(source.library)}` }),
      integrity,
    },
    bytes: fetched.reduce((sum, { metadata }) => sum + (metadata.size ?? 0), 0),
    files: fetched.length,
  };
}

/** Whether anything of a file has come: of one that is whole, or of one that is not. */
function hasBytes(work: string): boolean {
  if (!existsSync(work)) return false;
  const all = readdirSync(work, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return all.some(({ name, parentPath }) => {
    const isContent = name.endsWith('.bytes') || basename(parentPath) !== KNOWN;
    return isContent && statSync(join(parentPath, name)).size > 0;
  });
}

/** The URL path that the folder is served under: below a public folder its place there. */
function servedAs(folder: string): string {
  return /[\\/](?:public|static)([\\/].+)$/.exec(folder)?.[1]?.replaceAll('\\', '/') ?? `/models/${basename(folder)}`;
}

interface Source {
  /** URL; ends with `/`. */
  folder: string;
  localFiles?: LocalFile[];
  /** Of a WebLLM model. */
  library?: string;
  contextLength?: number | undefined;
}

/** No page is there that a relative URL could be of: those were refused. */
const NO_PAGE = 'http://localhost/';

async function resolveSource(named: NamedModel, hubURL: string | undefined): Promise<Source> {
  const location = { pageURL: NO_PAGE, ...(hubURL !== undefined && { hub: hubURL }) };
  if (named.backend === 'web-llm') return findForPack({ ...named, task: 'chat' }, location);
  const folder = filesFolderOf(named, NO_PAGE, hubURL);
  return folder.startsWith('file:') ? { folder, localFiles: await listFolder(fileURLToPath(folder)) } : { folder };
}

async function listFolder(folder: string): Promise<LocalFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.map(async (path) => ({ path: relative(folder, path).replaceAll('\\', '/'), file: await openAsBlob(path) })),
  );
}

/** What is packed of a model, and what it is for. */
interface FilesToPack {
  files: ModelFiles;
  task: ModelEntry['task'];
  choice: PackChoice;
}

async function chooseFrom(
  named: NamedModel,
  { folder, library }: Source,
  load: Parameters<typeof openModelFiles>[2],
  environment: StoreEnvironment,
): Promise<FilesToPack> {
  const files = await openModelFiles(named, folder, load, environment);
  const config = await files.read('config.json');
  // WebLLM's models have a file of another name, which its own choice asks for.
  if (!config && library === undefined) throw noModelAt(folder);
  const task = named.task ?? requireTask(await config?.json());
  return { files, task, choice: await choose({ ...named, task }, library, files) };
}

/** @param folder URL */
function noModelAt(folder: string): Error {
  return new Error(
    `There is no model at ${folder}, because it has no \`config.json\`. Check the hub id or URL. A model whose license must be accepted on the hub first has to be downloaded by its own tools and packed from its folder (./…).`,
  );
}

function choose(entry: ModelEntry, library: string | undefined, files: ModelFiles): Promise<PackChoice> {
  return library === undefined ? chooseTransformers(entry, files) : chooseWebLlm(library, files);
}

async function listFetched(wanted: readonly string[], files: ModelFiles, storage: DiskStorage): Promise<FetchedFile[]> {
  const found = await Promise.all(wanted.map((file) => files.find(file)));
  return found.flatMap((stored) =>
    stored
      ? [{ path: storage.pathOf(stored.metadata), metadata: stored.metadata, name: packedName(stored.metadata.file) }]
      : [],
  );
}

/** A file from elsewhere, such as a WebLLM library, comes into the folder. */
function packedName(file: string): string {
  return /^https?:\/\//.test(file) ? basename(new URL(file).pathname) : file;
}

/** What a model is for, by its parsed `config.json`. @throws Error when that does not say */
function requireTask(config: unknown): ModelEntry['task'] {
  const task = guessTask(config);
  if (task !== undefined) return task;
  throw new Error(
    `The config does not name the model's task: pass --task chat, embeddings, rerank, speech-to-text or text-to-speech.`,
  );
}
