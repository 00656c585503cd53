/**
 * Models by words, as a command line has them: the path of a GGUF file, or a repository of the hub. Each is looked at before
 * anything is served.
 * @module
 */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InferenceError, isInferenceError } from '../core/errors/inference-error.js';
import type { LoadProgress, ModelEntry, TypedModelEntry } from '../core/models/model-entry.js';
import { chooseFile, isGgufName } from '../engines/gguf/choose-file.js';
import { chooseForPack } from '../engines/gguf/gguf-pack.js';
import { guessTask } from '../engines/common/guess-task.js';
import type { ModelFiles } from '../store/model-files.js';
import { openModelFiles } from '../store/open-model-files.js';
import { filesFolderOf } from '../store/sources/hub.js';
import type { StoreEnvironment } from '../store/storage/store-environment.js';
import { cacheFolder } from './models/cache-folder.js';
import { diskCacheStore, locksFolder } from './models/disk-cache.js';
import { absolutePath, isPath, withDiskSources } from './models/disk-sources.js';
import { FileLocks } from './models/file-locks.js';
import { localFolderStore } from './models/local-folder.js';

/** How words are read. */
export interface WordOptions {
  /** Absolute; what relative paths are relative to. */
  folder: string;
  /** Base of the hub. @default the Hugging Face Hub */
  hub?: string | undefined;
  onProgress?: ((progress: LoadProgress) => void) | undefined;
}

/** Owner, name and kind of a repository's file. */
const REPOSITORY = /^([\w-][\w.-]*\/[\w.-]+?)(?::([\w.-]+))?$/;

/** Nothing is relative to a page. */
const NO_PAGE = 'http://localhost/';

/** Whether a text has the form of a word. */
export function isModelWord(word: string): boolean {
  return isFileWord(word) || REPOSITORY.test(word);
}

/** By its form: what lies on the disk must not change what a command means. */
function isFileWord(word: string): boolean {
  return isPath(word) || (/\.gguf$/i.test(word) && !/^https?:/i.test(word));
}

/**
 * The entries of words.
 * @throws InferenceError `invalid_request` or `unavailable`, whose message begins with the word
 */
export async function resolveWords(words: readonly string[], options: WordOptions): Promise<TypedModelEntry[]> {
  const entries: TypedModelEntry[] = [];
  for (const word of words) {
    const entry = await resolveWord(word, options).catch((thrown: unknown) => {
      const { message } = thrown as Error;
      const code = isInferenceError(thrown) ? thrown.code : 'invalid_request';
      throw new InferenceError(code, `${word}: ${message}`, {}, { cause: thrown });
    });
    if (entries.some(({ id }) => id === entry.id))
      throw new InferenceError('invalid_request', `${word}: another model has the id \`${entry.id}\`, too.`);
    entries.push(entry);
  }
  return entries;
}

function resolveWord(word: string, options: WordOptions): Promise<TypedModelEntry> {
  if (isFileWord(word)) return entryOfFile(word, options);
  const [, source, kind] = REPOSITORY.exec(word) ?? [];
  if (source !== undefined) return entryOfRepository({ word, source, kind }, options);
  throw new InferenceError(
    'invalid_request',
    'this is neither the path of a .gguf file nor a repository (`owner/name`).',
  );
}

const gguf = (entry: Omit<ModelEntry, 'backend'>): TypedModelEntry =>
  ({ ...entry, backend: 'gguf' }) as TypedModelEntry;

async function entryOfFile(word: string, { folder, onProgress = () => {} }: WordOptions): Promise<TypedModelEntry> {
  const path = absolutePath(word, folder);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new Error(`there is no file at ${path}.`);
  if (stat.isDirectory()) throw new Error('this is a folder. Name the .gguf file in it.');
  const id = basename(path).replace(/\.gguf$/i, '');
  const { models } = withDiskSources({ models: [{ id, backend: 'gguf' as const, source: path }] }, folder);
  const [named] = models;
  const store = localFolderStore(new URL('.', pathToFileURL(path)).href);
  const load = { onProgress, signal: new AbortController().signal, pageURL: NO_PAGE };
  const { task } = await chooseForPack(named!, async () => load, store);
  return gguf({ ...named!, task });
}

async function entryOfRepository(
  { word, source, kind }: { word: string; source: string; kind: string | undefined },
  { hub = 'https://huggingface.co', onProgress = () => {} }: WordOptions,
): Promise<TypedModelEntry> {
  const store = openCache();
  const load = { onProgress, signal: new AbortController().signal, pageURL: NO_PAGE, hub };
  const at = filesFolderOf({ id: word, backend: 'gguf', source }, NO_PAGE, hub);
  const files = await openModelFiles({ id: word }, at, load, store);
  const names = await listNames(files, source, hub);
  const models = names.filter((name) => isGgufName(name) && !NO_MODEL.test(name)).toSorted();
  if (kind === undefined && models.length === 0) return entryOfGraphs(word, source, files);
  // The list is asked for once: what opens the file would ask again.
  const file = kind === undefined ? await fileOf(word, names, files) : fileOfKind(models, kind, source);
  const named = { id: word, backend: 'gguf' as const, source, file };
  const { task, choice } = await chooseForPack(named, async () => load, store);
  return gguf({ ...named, ...choice.entry, task });
}

/** Projectors of vision models, and pieces of a file that was split. */
const NO_MODEL = /(^|\/)mmproj[^/]*$|-\d{5}-of-\d{5}\.gguf$/i;

/** The cache of this machine, as the threads of models have it. */
function openCache(): StoreEnvironment {
  const folder = cacheFolder();
  return diskCacheStore(folder, new FileLocks(locksFolder(folder)), {});
}

/** The names of a repository's files; without a network those that the cache has. @throws Error that names the hub */
async function listNames(files: ModelFiles, source: string, hub: string): Promise<readonly string[]> {
  const listed = await files.listed();
  if (listed.length > 0) return listed;
  const stored = await files.stored();
  if (stored.length > 0) return stored;
  try {
    return await files.listed(true);
  } catch (thrown) {
    const { httpStatus, message } = isInferenceError(thrown)
      ? { ...thrown.details, message: reasonOf(thrown) }
      : { message: reasonOf(thrown) };
    if (httpStatus === 404 || httpStatus === 401 || httpStatus === 403)
      throw new Error(`there is no repository \`${source}\` at ${hub} that everybody may read.`, { cause: thrown });
    const why = httpStatus === undefined ? message : `status ${httpStatus}`;
    throw new Error(`${hub} gave no list of its files (${why}), and the cache has none of them.`, { cause: thrown });
  }
}

/** The innermost reason: Node says no more than "fetch failed" at first. */
function reasonOf(thrown: unknown): string {
  let error = thrown as Error & { code?: string };
  while (error.cause instanceof Error) error = error.cause;
  return error.message || error.code || error.name;
}

/** The file that an entry without `file` means. */
async function fileOf(id: string, names: readonly string[], files: ModelFiles): Promise<string> {
  const all = names.filter(isGgufName);
  return chooseFile(
    { id },
    await Promise.all(all.map(async (name) => ({ name, bytes: (await files.bytesOf([name])) || undefined }))),
  );
}

function fileOfKind(models: readonly string[], kind: string, source: string): string {
  const wanted = new RegExp(String.raw`(^|[^a-z\d])${kind.replace(/[.-]/g, String.raw`\$&`)}([^a-z\d_]|$)`, 'i');
  const found = models.find((name) => wanted.test(name.replace(/\.gguf$/i, '')));
  if (found !== undefined) return found;
  const kinds = [...new Set(models.map(kindOf))].map((each) => `\`${each}\``).join(', ');
  const there = models.length === 0 ? 'it has no GGUF files' : `it has ${kinds}`;
  throw new Error(`\`${source}\` has no file of the kind \`${kind}\`: ${there}.`);
}

/** What the name of a file says of its precision; else the name. */
function kindOf(name: string): string {
  return /(?:^|[^a-z\d])((?:UD-)?(?:I?Q\d\w*|TQ\d\w*|BF16|F16|F32|MXFP4\w*))\.gguf$/i.exec(name)?.[1] ?? name;
}

/** A repository without GGUF files has an ONNX model. */
async function entryOfGraphs(word: string, source: string, files: ModelFiles): Promise<TypedModelEntry> {
  const config: unknown = await (await files.read('config.json'))?.json();
  if (config === undefined) throw new Error(`\`${source}\` has neither a GGUF file nor a \`config.json\`.`);
  const task = guessTask(config);
  if (task === undefined)
    throw new Error(
      `the \`config.json\` of \`${source}\` does not name its task. Name it in an entry of \`--config\`.`,
    );
  return { id: word, task, backend: 'transformers', source };
}
