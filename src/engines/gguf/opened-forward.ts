/** A decoder's weights where they are computed with, and what runs its passes. @module */
import type { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelInfo } from '../../core/models/backend.js';
import type { ReadRange } from './file/header.js';
import type { Forward } from './forward-interface.js';
import type { EngineAdapters } from './gguf-text-engine.js';
import type { KvPages } from './kv-pages.js';

export interface OpenedForward {
  forward: Forward;
  pages: KvPages;
  /** Undefined: the model has none. */
  adapters: EngineAdapters | undefined;
  info: Pick<ModelInfo, 'device' | 'threads'>;
  contextLength: number;
  /** By what the last bits of keys and values differ between devices and browsers. */
  rounding: string;
  /** Resolves when nothing can be computed any more, beside what a pass shows. Undefined: only a pass shows it. */
  lost?: Promise<InferenceError>;
  dispose(): void;
}

/**
 * Opens a model on another device than the kernels.
 * @param read gives the bytes of its file, in order
 * @param openStored reads the stored file at any place; undefined where storage cannot
 */
export type OpenForward = (
  read: ReadRange,
  openStored?: () => Promise<ReadRange | undefined>,
) => Promise<OpenedForward>;
