/** Files of models that are brought into the store without a load. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { LoadProgress, ModelEntry } from '../../core/models/model-entry.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import type { FetchOptions, ModelHost } from './model-host.js';
import { LOAD_STALL_MS } from './model-slot.js';
import { StallWatch } from './stall-watch.js';

/** Ends with `unavailable` when nothing comes in for too long. @throws InferenceError */
export async function fetchFiles(host: ModelHost, entry: ModelEntry, options: FetchOptions): Promise<void> {
  const stalled = new AbortController();
  const stall = new StallWatch(LOAD_STALL_MS, () =>
    stalled.abort(new InferenceError('unavailable', `The download of \`${entry.id}\` made no progress.`)),
  );
  const onProgress = (progress: LoadProgress): void => {
    stall.received();
    options.onProgress(progress);
  };
  const signal = AbortSignal.any([options.signal, stalled.signal]);
  try {
    const fetching = host.fetchFiles?.(entry, { ...options, onProgress, signal });
    // Wait for a canceled attempt, so that the next one finds its locks free. A stuck attempt is not waited for.
    await orAborted(Promise.resolve(fetching), stalled.signal);
  } finally {
    stall.end();
  }
}
