/** What the backend uses of `@mlc-ai/web-llm` and of the browser, so that tests can replace both. @module */
import type { AppConfig, MLCEngineConfig, MLCEngineInterface } from '@mlc-ai/web-llm';
import { fetchPart } from '../../core/errors/fetch-part.js';
import { deviceMemory } from '../../core/platform/device-memory.js';
import { browserStore, type StoreEnvironment } from '../../store/storage/store-environment.js';
import { ownGpu } from '../common/find-adapter.js';

/**
 * The low-level methods of the engine: tokens in, KV cache kept, logits out through a logit processor. Its chat methods
 * (templates, sampling, grammars, tools) are not used. An upgrade that changes these fails to compile.
 */
export type WebLlmEngine = Pick<MLCEngineInterface, 'reload' | 'unload' | 'resetChat' | 'forwardTokensAndSample'>;

/** The package, or another version of it. */
export interface WebLlmModule {
  MLCEngine: new (config: MLCEngineConfig) => WebLlmEngine;
  /** WebLLM's list of ready-made models. */
  prebuiltAppConfig: AppConfig;
}

/** Imported on demand because the package is large. */
async function importWebLlm(): Promise<WebLlmModule> {
  return fetchPart(() => import('@mlc-ai/web-llm'));
}

export interface WebLlmEnvironment {
  /** Absent where the browser has no WebGPU. */
  readonly gpu: GPU | undefined;
  /** Bytes that this origin may still store; undefined when the browser does not say. */
  freeStorage(): Promise<number | undefined>;
  /** Gigabytes of main memory, at most 8. */
  readonly deviceMemory: number;
  /** Where model files are kept. */
  openStore(): Promise<StoreEnvironment>;
  importWebLlm(): Promise<WebLlmModule>;
}

/** The worker this runs in. Getters look everything up when it is used, so that Node can import this. */
export const browserEnvironment: WebLlmEnvironment = {
  get gpu() {
    return ownGpu();
  },
  async freeStorage() {
    const { quota, usage } = (await navigator.storage?.estimate?.()) ?? {};
    return quota === undefined || usage === undefined ? undefined : quota - usage;
  },
  get deviceMemory() {
    return deviceMemory();
  },
  openStore: browserStore,
  importWebLlm,
};

/**
 * WebLLM's object that runs a loaded model. WebLLM does not declare it, so the caller must check every field that it uses.
 * @returns undefined when this version of WebLLM keeps it elsewhere
 */
export function internalPipeline<Pipeline extends object>(
  engine: WebLlmEngine,
  modelId: string,
): Partial<Pipeline> | undefined {
  const { loadedModelIdToPipeline: pipelines } = engine as { loadedModelIdToPipeline?: unknown };
  return pipelines instanceof Map ? (pipelines.get(modelId) as Partial<Pipeline> | undefined) : undefined;
}
