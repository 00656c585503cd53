/** Starts models in workers of their own, for the scheduler. @module */
import { answeringModelTiming } from '../relay/call-timing.js';
import type { ModelHost } from '../scheduler/model-host.js';
import type { PlainLoadOptions } from '../relay/protocol.js';
import { fetchFilesRemotely, loadRemoteModel, type ModelWorkerHandle } from './remote-model.js';

/** What the gateway needs to start model workers. */
export interface WorkerModelHostOptions {
  /** Asks the page for a new model worker. Rejects with InferenceError `unavailable`. */
  spawn: () => Promise<ModelWorkerHandle>;
  /** Of all models. */
  load: PlainLoadOptions;
  /** Seconds. */
  requestTimeout: number;
}

/** A ModelHost with one worker per loaded model: unloading ends the worker, and its memory is surely free. */
export function createWorkerModelHost(options: WorkerModelHostOptions): ModelHost {
  const { spawn, load, requestTimeout } = options;
  const timing = answeringModelTiming(requestTimeout);
  return {
    start: async (entry, watch) => loadRemoteModel(await spawn(), { entry, options: load }, { ...watch, timing }),
    fetchFiles: async (entry, { localFiles, ...watch }) =>
      fetchFilesRemotely(
        await spawn(),
        { entry, options: { ...load, ...(localFiles && { localFiles }) } },
        { ...watch, timing },
      ),
  };
}
