/** The files of a catalog entry, as the store has them. @module */
import type { LoadOptions } from '../models/backend.js';
import { folderURLOf } from '../models/entry-files.js';
import type { ModelEntry } from '../models/model-entry.js';
import { availableCrossOriginStorage } from '../store/cross-origin-storage.js';
import { HUB_URL, hubFolderURL } from '../store/hub.js';
import { ModelFiles } from '../store/model-files.js';
import { browserStore, type StoreEnvironment } from '../store/store-environment.js';

/** Absolute URL of the folder that an entry's files are in, on a hub or elsewhere; ends with `/`. */
export function filesFolderOf(
  { id, source = id, revision = 'main' }: Pick<ModelEntry, 'id' | 'source' | 'revision'>,
  pageURL: string,
  hubURL: string = HUB_URL,
): string {
  return folderURLOf(source, pageURL) ?? hubFolderURL({ hubURL, id: source, revision });
}

/** Opens the files of a load. @param environment what they are kept in */
export async function openModelFiles(
  { id, integrity }: Pick<ModelEntry, 'id' | 'integrity'>,
  folder: string,
  { onProgress, signal, crossOriginStorage = false }: LoadOptions,
  environment?: StoreEnvironment,
): Promise<ModelFiles> {
  return new ModelFiles({
    id,
    folder,
    integrity,
    environment: environment ?? (await browserStore()),
    crossOrigin: crossOriginStorage ? availableCrossOriginStorage() : undefined,
    onProgress,
    signal,
  });
}
