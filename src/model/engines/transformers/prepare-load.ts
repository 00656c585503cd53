/** What a load begins with, before anybody asks for the model. @module */
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { PlainLoadOptions } from '../../../relay/protocol.js';
import { filesFolderOf } from '../../../store/sources/hub.js';
import { openModelFiles } from '../../../store/open-model-files.js';
import { importRuntime, runsOnWasm } from './ort/runtime-module.js';

/**
 * Fetches and compiles runtime and code for the first of these models whose files are on this device: it was used before. No
 * server is asked about a model. Never rejects: a load meets the same failure, and says so.
 * @param importCode of a task
 * @returns the model
 */
export async function prepareLoad(
  entries: readonly ModelEntry[],
  options: PlainLoadOptions,
  importCode: (task: ModelEntry['task']) => Promise<unknown>,
): Promise<ModelEntry | undefined> {
  for (const entry of entries) {
    if (!(await isKept(entry, options).catch(() => false))) continue;
    await Promise.allSettled([runsOnWasm(entry) && importRuntime(options.assetsURL), importCode(entry.task)]);
    return entry;
  }
  return undefined;
}

/** No model of this engine is without this file. */
async function isKept(entry: ModelEntry, options: PlainLoadOptions): Promise<boolean> {
  const { signal } = new AbortController();
  const folder = filesFolderOf(entry, options.pageURL, options.hub);
  const files = await openModelFiles(entry, folder, { ...options, onProgress: () => {}, signal });
  return files.isKept('config.json');
}
