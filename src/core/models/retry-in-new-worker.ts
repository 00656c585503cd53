/** A load that failed in this worker and can succeed in a new one. @module */
import { InferenceError } from '../errors/inference-error.js';
import type { ModelEntry } from './model-entry.js';

/**
 * Thrown by a backend whose engine broke while it loaded. Engines do not recover in their worker: ONNX Runtime makes its
 * sessions one after the other, and after one that failed every later one fails with the same error. Whoever made the
 * worker ends it, which frees all of its memory, and loads `entry` in a new one. To all others it is the failure itself.
 */
export class RetryInNewWorker extends InferenceError {
  /** What to load in the new worker. */
  readonly entry: ModelEntry;

  constructor(failure: InferenceError, entry: ModelEntry) {
    super(failure.code, failure.message, failure.details, { cause: failure });
    this.entry = entry;
  }
}
