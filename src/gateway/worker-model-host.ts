/** Starts models in workers of their own, for the scheduler. @module */
import type { ModelHost } from '../scheduler/model-host.js';
import { loadRemoteModel, type ModelWorkerHandle } from './remote-model.js';

/** What the gateway needs to start model workers. */
export interface WorkerModelHostOptions {
  /** Asks the page for a new model worker. Rejects with InferenceError `unavailable`. */
  spawn: () => Promise<ModelWorkerHandle>;
  assetsURL: string;
  pageURL: string;
}

/** A ModelHost with one worker per loaded model: unloading ends the worker, and its memory is surely free. */
export function createWorkerModelHost({ spawn, assetsURL, pageURL }: WorkerModelHostOptions): ModelHost {
  return {
    start: async (entry, options) => loadRemoteModel(await spawn(), { entry, assetsURL, pageURL }, options),
  };
}
