/** Models in workers of their own, as the scheduler starts them: of a page, or threads of Node. @module */
import { throwIfCancelled } from '../core/errors/inference-error.js';
import type { LoadedModel } from '../core/models/backend.js';
import type { ModelEntry } from '../core/models/model-entry.js';
import { RetryInNewWorker } from '../core/models/retry-in-new-worker.js';
import type { PlainLoadOptions } from '../relay/protocol.js';
import { answeringModelTiming } from '../relay/stream/call-timing.js';
import { fetchFilesRemotely, loadRemoteModel, type ModelWorkerHandle } from './remote-model.js';
import type { ModelHost, StartOptions } from './scheduler/model-host.js';

/** What is needed to start model workers. */
interface WorkerModelHostOptions {
  /** Makes a new model worker; the page may serve the model itself. Rejects with InferenceError `unavailable`. */
  spawn: (entry: ModelEntry) => Promise<ModelWorkerHandle>;
  /** Of all models. */
  load: PlainLoadOptions;
  /** Seconds. */
  requestTimeout: number;
}

/** Workers in which one load is tried: a damaged file is mended once, and a GPU that fails is left for the CPU once. */
const MAX_WORKERS = 3;

/** A ModelHost with one worker per loaded model: unloading ends the worker, and its memory is surely free. */
export function createWorkerModelHost(options: WorkerModelHostOptions): Required<ModelHost> {
  const { spawn, load, requestTimeout } = options;
  const timing = answeringModelTiming(requestTimeout);
  const start = async (entry: ModelEntry, watch: StartOptions, worker: number): Promise<LoadedModel> => {
    throwIfCancelled(watch.signal);
    try {
      return await loadRemoteModel(await spawn(entry), { entry, options: load }, { ...watch, timing });
    } catch (thrown) {
      // The worker that failed is ended by now.
      if (thrown instanceof RetryInNewWorker && worker < MAX_WORKERS) return start(thrown.entry, watch, worker + 1);
      throw thrown;
    }
  };
  return {
    start: (entry, watch) => start(entry, watch, 1),
    fetchFiles: async (entry, { localFiles, ...watch }) =>
      fetchFilesRemotely(
        await spawn(entry),
        { entry, options: { ...load, ...(localFiles && { localFiles }) } },
        { ...watch, timing },
      ),
  };
}
