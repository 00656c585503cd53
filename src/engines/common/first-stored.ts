/** Which model a page is going to load, as far as its files tell. Knows no engine, so that asking costs nothing. @module */
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { PlainLoadOptions } from '../../relay/protocol.js';
import { openModelFiles } from '../../store/open-model-files.js';
import { filesFolderOf } from '../../store/sources/hub.js';

/**
 * The first of these models whose files are on this device: it was used before. No server is asked. Never rejects.
 * @param entries of transformers.js or GGUF
 */
export async function firstStored(
  entries: readonly ModelEntry[],
  options: PlainLoadOptions,
): Promise<ModelEntry | undefined> {
  for (const entry of entries) if (await isStored(entry, options).catch(() => false)) return entry;
  return undefined;
}

async function isStored(entry: ModelEntry, options: PlainLoadOptions): Promise<boolean> {
  const { signal } = new AbortController();
  const folder = filesFolderOf(entry, options.pageURL, options.hub);
  const files = await openModelFiles(entry, folder, { ...options, onProgress: () => {}, signal });
  if (entry.backend === 'gguf') return (await files.stored()).some((name) => /\.gguf$/i.test(name));
  // No model of transformers.js is without it.
  return files.isStored('config.json');
}
