/** Is there room for a model? Asked before its first byte is fetched. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import type { StoreEnvironment } from './store-environment.js';

/**
 * `insufficient_resources` with needed and free bytes, and the other models that are kept, the least recently used first:
 * the app may offer to remove them.
 * @param model the folder that is not offered
 */
export async function noRoom(
  { id, model, neededBytes }: { id: string; model: string; neededBytes: number },
  environment: StoreEnvironment,
): Promise<InferenceError> {
  const freeBytes = Math.max(0, (await environment.freeBytes()) ?? 0);
  const kept = await environment.storage.list().catch(() => []);
  const removable = kept
    .filter(({ note }) => note.model !== model)
    .toSorted((a, b) => a.note.lastUsed - b.note.lastUsed)
    .map(({ note, files }) => ({
      source: note.model,
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      lastUsed: note.lastUsed,
    }));
  return new InferenceError(
    'insufficient_resources',
    `There is no room for \`${id}\`: it needs ${megabytes(neededBytes)} MB of storage, and ${megabytes(freeBytes)} MB are free.`,
    { param: 'model', neededBytes, freeBytes, removable },
  );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}
