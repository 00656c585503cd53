/** The part of the page API that shows and changes what is stored. Fetched when it is first asked for. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import type { LocalFile } from '../core/models/backend.js';
import type { LoadProgress } from '../core/models/model-entry.js';
import type { PickedFiles } from '../core/models/page-inference.js';
import type { StoredModel } from '../core/models/stored-model.js';
import { listPicked } from './picked-files.js';
import { BACKENDS_WITH_FILES, listStored, removeStored, type Sources } from '../store/list-stored.js';

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
    async importModel(model, files, { signal } = {}) {
      requireFiles(model, sources);
      return engine.download(model, await listPicked(files), signal);
    },
    stored: () => listStored(sources),
    remove: (model) => removeStored(model, sources, (id) => engine.unload(id)),
  };
}

/** Losing a file of at least so many bytes is worth a question; some browsers put it to the person in front of them. */
const WORTH_ASKING = 16 * 2 ** 20;

let isPersistent: Promise<boolean | undefined> | undefined;
let isAsked = false;

/**
 * Asks the browser once to keep what is stored, when a large file comes in. To be called with each progress. Only pages
 * can ask.
 * @returns whether the browser keeps what is stored also when room gets short; undefined where it does not say. Never
 * rejects.
 */
export function requestPersistence({ bytesPerSecond, totalBytes }: LoadProgress): Promise<boolean | undefined> {
  if (bytesPerSecond !== undefined && totalBytes >= WORTH_ASKING && !isAsked) {
    isAsked = true;
    isPersistent = answered(navigator.storage?.persist?.());
  }
  return (isPersistent ??= answered(navigator.storage?.persisted?.()));
}

async function answered(question: Promise<boolean> | undefined): Promise<boolean | undefined> {
  return question?.catch(() => undefined);
}

/** @throws InferenceError `invalid_request` for a model whose backend uses no files */
function requireFiles(model: string, { models }: Sources): void {
  const backend = models.find(({ id, aliases }) => id === model || aliases?.includes(model))?.backend;
  if (backend === undefined || BACKENDS_WITH_FILES.includes(backend)) return;
  const message = `The model \`${model}\` has the backend \`${backend}\`, which uses no files. Only models with the backends \`gguf\`, \`transformers\` and \`web-llm\` can be imported.`;
  throw new InferenceError('invalid_request', message, { param: 'model' });
}
