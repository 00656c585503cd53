/** The part of the page API that shows and changes what is kept. Fetched when it is first asked for. @module */
import type { EngineClient } from './engine-client.js';
import { listPicked, type PickedFiles } from './picked-files.js';
import { listStored, removeStored, type Sources, type StoredModel } from './stored-models.js';

export { keepStored } from './lasting-storage.js';

/** See `PageInference`. */
export interface ModelStore {
  download(model: string, options?: { signal?: AbortSignal }): Promise<void>;
  importModel(model: string, files: PickedFiles, options?: { signal?: AbortSignal }): Promise<void>;
  stored(): Promise<StoredModel[]>;
  remove(model: string): Promise<void>;
}

/** The store as one page sees it. */
export function createModelStore(client: EngineClient, sources: Sources): ModelStore {
  return {
    download: (model, { signal } = {}) => client.run({ control: 'fetchFiles', model }, signal),
    async importModel(model, files, { signal } = {}) {
      await client.run({ control: 'fetchFiles', model, localFiles: await listPicked(files) }, signal);
    },
    stored: () => listStored(sources),
    remove: (model) => removeStored(model, sources, (id) => client.run({ control: 'unload', model: id })),
  };
}
