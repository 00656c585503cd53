/** A load that failed here and can succeed in another realm. @module */
import { InferenceError } from '../errors/inference-error.js';
import type { ModelEntry } from './model-entry.js';

/**
 * Thrown by a backend whose engine broke while it loaded. Engines do not recover in their realm: ONNX Runtime's sessions
 * are made one after the other, and after one that failed every later one fails with the same error. Whoever made the
 * realm ends it, which frees all of its memory, and loads `entry` in a fresh one. To all others it is the failure itself.
 */
export class SpentRealm extends InferenceError {
  /** What to load in the next realm. */
  readonly entry: ModelEntry;

  constructor(failure: InferenceError, entry: ModelEntry) {
    super(failure.code, failure.message, failure.details, { cause: failure });
    this.entry = entry;
  }
}
