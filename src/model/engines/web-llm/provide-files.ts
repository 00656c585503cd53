/**
 * WebLLM reads every file through the Cache API (`webllm/config`, `webllm/model`, `webllm/wasm`). In its worker those
 * caches are replaced by the model store: its files are complete and checked, and WebLLM keeps no second copy.
 * @module
 */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ModelFiles } from '../../../store/model-files.js';

/** Prefix of the names of WebLLM's caches. */
const SCOPE = 'webllm/';

/**
 * Replaces WebLLM's caches in this worker's `caches`; other caches stay as they are.
 * @returns restores `caches`
 */
export function provideFiles(files: ModelFiles): () => void {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'caches');
  const original = (globalThis as { caches?: CacheStorage }).caches;
  const provided = new StoreCache(files);
  const storage = {
    open: async (name: string): Promise<unknown> => (name.startsWith(SCOPE) ? provided : original?.open(name)),
  };
  Object.defineProperty(globalThis, 'caches', { value: storage, configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(globalThis, 'caches', own);
    else delete (globalThis as { caches?: unknown }).caches;
  };
}

/** The methods of a Cache that WebLLM uses. */
class StoreCache {
  readonly #files: ModelFiles;

  constructor(files: ModelFiles) {
    this.#files = files;
  }

  async match(request: Request | string): Promise<Response | undefined> {
    return this.#files.read(typeof request === 'string' ? request : request.url);
  }

  /** All files have been downloaded before, so one that is missing here does not exist. */
  async add(request: Request | string): Promise<never> {
    const url = typeof request === 'string' ? request : request.url;
    throw new InferenceError('unavailable', `The model's file \`${url.slice(url.lastIndexOf('/') + 1)}\` is missing.`, {
      url,
    });
  }

  /** WebLLM asks whether it must download. It then looks up file by file, which is cheap here. */
  async keys(): Promise<readonly Request[]> {
    return [];
  }
}
