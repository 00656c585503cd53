/** The part of the page API that shows and changes what is stored. Fetched when it is first asked for. @module */
import type { LocalFile } from '../core/models/backend.js';
import type { PickedFiles } from '../core/models/page-inference.js';
import type { StoredModel } from '../core/models/stored-model.js';
import { listPicked } from './picked-files.js';
import { listStored, removeStored, type Sources } from '../store/list-stored.js';

/** See `PageInference`. */
export interface ModelStore {
  download(model: string, options?: { signal?: AbortSignal }): Promise<void>;
  importModel(model: string, files: PickedFiles, options?: { signal?: AbortSignal }): Promise<void>;
  stored(): Promise<StoredModel[]>;
  remove(model: string): Promise<void>;
}

/** What the store asks of the engine. */
export interface StoreEngine {
  download(model: string, localFiles?: readonly LocalFile[], signal?: AbortSignal): Promise<void>;
  unload(model: string): Promise<void>;
}

/** The store as one page sees it. */
export function createModelStore(engine: StoreEngine, sources: Sources): ModelStore {
  return {
    download: (model, { signal } = {}) => engine.download(model, undefined, signal),
    importModel: async (model, files, { signal } = {}) => engine.download(model, await listPicked(files), signal),
    stored: () => listStored(sources),
    remove: (model) => removeStored(model, sources, (id) => engine.unload(id)),
  };
}
