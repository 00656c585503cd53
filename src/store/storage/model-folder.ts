/** The folder of stored models in the origin private file system. @module */
import { ifFound } from './opfs-access.js';

/** In the file system's root. */
export const MODEL_FOLDER = 'inpage-models';

/** Removes the files of all models. Rejects while one of them is being written. */
export async function removeAllModels(root: FileSystemDirectoryHandle): Promise<void> {
  await ifFound(root.removeEntry(MODEL_FOLDER, { recursive: true }));
}
