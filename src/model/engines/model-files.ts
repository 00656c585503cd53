/** The files of a catalog entry, as the store has them. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { LoadOptions } from '../../core/models/backend.js';
import { folderURLOf } from '../../core/models/entry-files.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { availableCrossOriginStorage } from '../../store/cross-origin-storage.js';
import { HUB_URL, hubFolderURL } from '../../store/hub.js';
import { withLocalFiles } from '../../store/local-files.js';
import { ModelFiles } from '../../store/model-files.js';
import { browserStore, type StoreEnvironment } from '../../store/store-environment.js';

/** Absolute URL of the folder that an entry's files are in, on a hub or elsewhere; ends with `/`. */
export function filesFolderOf(
  { id, source = id, revision = 'main' }: Pick<ModelEntry, 'id' | 'source' | 'revision'>,
  pageURL: string,
  hubURL: string = HUB_URL,
): string {
  return folderURLOf(source, pageURL) ?? hubFolderURL({ hubURL: hubURL.replace(/\/*$/, '/'), id: source, revision });
}

/** Opens the files of a load. @param environment what they are kept in */
export async function openModelFiles(
  { id, integrity }: Pick<ModelEntry, 'id' | 'integrity'>,
  folder: string,
  {
    onProgress,
    signal,
    crossOriginStorage = false,
    localFiles,
  }: Pick<LoadOptions, 'onProgress' | 'signal' | 'crossOriginStorage' | 'localFiles'>,
  environment?: StoreEnvironment,
): Promise<ModelFiles> {
  const store = environment ?? (await browserStore());
  return new ModelFiles({
    id,
    folder,
    integrity,
    environment: localFiles ? withLocalFiles(store, folder, localFiles) : store,
    crossOrigin: crossOriginStorage ? availableCrossOriginStorage() : undefined,
    onProgress,
    signal,
  });
}

/** Files without which no model runs; the others are there or not. */
const REQUIRED = /\.(onnx|onnx_data\w*|bin|wasm)$|^(mlc-chat-)?config\.json$/;

/** Brings files into the store and waits for them. @throws InferenceError when one that must be there is not */
export async function fetchAll(files: ModelFiles, wanted: readonly string[]): Promise<void> {
  await files.prepare(wanted);
  await Promise.all(
    wanted.map(async (file) => {
      if ((await files.find(file)) || !REQUIRED.test(file)) return;
      throw new InferenceError('unavailable', `The model's file \`${file}\` is missing.`);
    }),
  );
}
