/** How far a load is. Public. @module */

/** One shape for every backend, from the first byte to ready. */
export interface LoadProgress {
  /** Id of the entry. */
  model: string;
  /** Name of the file within the model's folder; absent: the report is about the whole model. */
  file?: string;
  /** Bytes so far, of `file` when given, else of the whole model. */
  loadedBytes: number;
  /** 0 while unknown. */
  totalBytes: number;
  /** `download` (network or store), `initialize` (sessions, shaders), `compile` (a GPU's shaders, of a GGUF file), `ready`. */
  stage: 'download' | 'initialize' | 'compile' | 'ready';
  /** Of the model's files together, over the last seconds. Only while bytes come from the network. */
  bytesPerSecond?: number;
  /** Until all of the model's files that are being fetched are there, at that speed. */
  remainingSeconds?: number;
  /** Why nothing comes in: no network, a pause before the next attempt, or another tab that fetches the same file. */
  waiting?: 'network' | 'retry' | 'other-tab';
  /** What a server answered that is asked again, and when; with `waiting: 'retry'`. */
  waitingReason?: string;
}
