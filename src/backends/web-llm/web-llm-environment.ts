/** What this backend uses of its surroundings, so that tests can bring their own. @module */
import { importWebLlm, type WebLlmModule } from './web-llm-module.js';

/** A cache of model files: the part of the Cache API that is used. */
export type FileCacheStorage = Pick<CacheStorage, 'open'>;

export interface WebLlmEnvironment {
  /** Absent where the browser has no WebGPU. */
  readonly gpu: GPU | undefined;
  /** Bytes that this origin may still store; undefined when the browser does not say. */
  freeStorage(): Promise<number | undefined>;
  /** Gigabytes of main memory, rounded down to a power of two and at most 8 (a browser says no more). */
  readonly deviceMemory: number | undefined;
  /** Absent outside secure contexts. */
  readonly caches: FileCacheStorage | undefined;
  fetch(url: string, init: { signal: AbortSignal }): Promise<Response>;
  importWebLlm(): Promise<WebLlmModule>;
}

/** The worker this runs in. Everything is looked up when used, so importing this in Node is harmless. */
export const browserEnvironment: WebLlmEnvironment = {
  get gpu() {
    return typeof navigator === 'undefined' ? undefined : (navigator.gpu as GPU | undefined);
  },
  async freeStorage() {
    const { quota, usage } = (await navigator.storage?.estimate?.()) ?? {};
    return quota === undefined || usage === undefined ? undefined : quota - usage;
  },
  get deviceMemory() {
    return (navigator as { deviceMemory?: number }).deviceMemory;
  },
  get caches() {
    return typeof caches === 'undefined' ? undefined : caches;
  },
  fetch: (url, init) => fetch(url, init),
  importWebLlm,
};
