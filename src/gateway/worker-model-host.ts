/** Starts models in workers of their own, for the scheduler. @module */
import { answeringModelTiming } from '../relay/call-timing.js';
import type { ModelHost } from '../scheduler/model-host.js';
import { loadRemoteModel, type ModelWorkerHandle } from './remote-model.js';

/** What the gateway needs to start model workers. */
export interface WorkerModelHostOptions {
  /** Asks the page for a new model worker. Rejects with InferenceError `unavailable`. */
  spawn: () => Promise<ModelWorkerHandle>;
  assetsURL: string;
  pageURL: string;
  /** Seconds. */
  requestTimeout: number;
}

/** A ModelHost with one worker per loaded model: unloading ends the worker, and its memory is surely free. */
export function createWorkerModelHost(options: WorkerModelHostOptions): ModelHost {
  const { spawn, assetsURL, pageURL, requestTimeout } = options;
  const timing = answeringModelTiming(requestTimeout);
  return {
    start: async (entry, load) => loadRemoteModel(await spawn(), { entry, assetsURL, pageURL }, { ...load, timing }),
  };
}
