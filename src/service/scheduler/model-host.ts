/** Creates models: in workers of a page, or in the process in Node. @module */
import type { LoadedModel, LocalFile } from '../../core/models/backend.js';
import type { LoadProgress, ModelEntry } from '../../core/models/model-entry.js';

export interface StartOptions {
  onProgress: (progress: LoadProgress) => void;
  signal: AbortSignal;
}

export interface FetchOptions extends StartOptions {
  /** Files that a person picked, in place of the server. */
  localFiles?: readonly LocalFile[] | undefined;
}

/** Starts a model in a place of its own. `unload()` of the result ends that place and so frees its memory. */
export interface ModelHost {
  /** Rejects with an InferenceError when the model cannot be loaded here; nothing stays behind then. */
  start(entry: ModelEntry, options: StartOptions): Promise<LoadedModel>;
  /** Brings a model's files into the store. Undefined: there is no store. Rejects with an InferenceError. */
  fetchFiles?(entry: ModelEntry, options: FetchOptions): Promise<void>;
}
