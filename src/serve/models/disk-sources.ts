/** Sources of entries that are paths of this machine, as URLs: what opens files knows no other addresses. @module */
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ModelEntry } from '../../core/models/model-entry.js';

/** Where the bundled models are, for entries: below it is what the disk does not have. */
const BUNDLED = '/models/';

/** The package's folder of them. Beside the folder of the built modules. */
const BUNDLED_FOLDER = new URL('../public/models/', import.meta.url);

/** A path as it is written: not a name, not the address of a server, not a hub id. */
export function isPath(source: string): boolean {
  return /^(?:\.{1,2}|~)?[/\\]|^file:/i.test(source) || isDrivePath(source);
}

/** `C:\models\x.gguf`. */
function isDrivePath(source: string): boolean {
  return /^[a-z]:[/\\]/i.test(source);
}

/** The absolute path that a source names. @param folder absolute; what a relative path is relative to */
export function absolutePath(source: string, folder: string): string {
  if (/^file:/i.test(source)) return fileURLToPath(new URL(source));
  const path = source.replace(/^~(?=[/\\])/, () => homedir());
  return isAbsolute(path) || isDrivePath(path) ? path : resolve(folder, path);
}

/**
 * Options whose models name files of the disk by URLs. Anything that is not a path stays as it is, for the check of options.
 * @param folder absolute; what relative paths are relative to
 */
export function withDiskSources<Options extends { models?: unknown }>(options: Options, folder: string): Options {
  const { models } = options;
  if (!Array.isArray(models)) return options;
  return { ...options, models: models.map((entry: unknown) => withDiskSource(entry, folder)) };
}

function withDiskSource(entry: unknown, folder: string): unknown {
  if (typeof entry !== 'object' || entry === null) return entry;
  const { loras, modelLibrary: _, ...located } = entry as Partial<ModelEntry>;
  if (located.backend === 'upstream') return entry;
  return {
    ...entry,
    ...urlsOf(located, folder),
    ...(Array.isArray(loras) && {
      loras: loras.map((lora) => ({ ...lora, ...urlsOf({ ...lora, backend: 'gguf' }, folder) })),
    }),
  };
}

/** @returns the fields that change */
function urlsOf(
  { source, file, backend, phonemizer }: Partial<Pick<ModelEntry, 'source' | 'file' | 'backend' | 'phonemizer'>>,
  folder: string,
): Partial<Pick<ModelEntry, 'source' | 'phonemizer'>> {
  const module = typeof phonemizer === 'string' && isPath(phonemizer) && { phonemizer: urlOf(phonemizer, folder) };
  if (typeof source !== 'string' || !isPath(source)) return { ...module };
  const path = absolutePath(source, folder);
  // A file without the usual ending is one all the same: what opens it goes by the address, and reads its path.
  const isOther = backend === 'gguf' && file === undefined && !/\.gguf$/i.test(path) && isFile(path);
  if (isOther) return { ...module, source: `${pathToFileURL(path).href}#.gguf` };
  return { ...module, source: urlOf(source, folder) };
}

function urlOf(source: string, folder: string): string {
  if (/^file:/i.test(source)) return new URL(source).href;
  const path = absolutePath(source, folder);
  const isBundled = source.startsWith(BUNDLED) && !existsSync(path);
  if (!isBundled) return pathToFileURL(path).href;
  const packaged = new URL(source.slice(BUNDLED.length), BUNDLED_FOLDER);
  return existsSync(packaged) ? packaged.href : pathToFileURL(path).href;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
