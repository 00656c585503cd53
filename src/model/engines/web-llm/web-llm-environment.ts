/** What this backend uses of its surroundings, so that tests can bring their own. @module */
import { browserStore, type StoreEnvironment } from '../../../store/store-environment.js';
import { ownGpu } from '../find-adapter.js';
import { importWebLlm, type WebLlmModule } from './web-llm-module.js';

export interface WebLlmEnvironment {
  /** Absent where the browser has no WebGPU. */
  readonly gpu: GPU | undefined;
  /** Bytes that this origin may still store; undefined when the browser does not say. */
  freeStorage(): Promise<number | undefined>;
  /** Gigabytes of main memory, rounded down to a power of two and at most 8 (a browser says no more). */
  readonly deviceMemory: number | undefined;
  /** Where model files are kept. */
  openStore(): Promise<StoreEnvironment>;
  importWebLlm(): Promise<WebLlmModule>;
}

/** The worker this runs in. Everything is looked up when used, so importing this in Node is harmless. */
export const browserEnvironment: WebLlmEnvironment = {
  get gpu() {
    return ownGpu();
  },
  async freeStorage() {
    const { quota, usage } = (await navigator.storage?.estimate?.()) ?? {};
    return quota === undefined || usage === undefined ? undefined : quota - usage;
  },
  get deviceMemory() {
    return (navigator as { deviceMemory?: number }).deviceMemory;
  },
  openStore: browserStore,
  importWebLlm,
};
