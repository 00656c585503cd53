/** What a scheduler is made with. @module */
import type { InferenceError } from '../../core/errors/inference-error.js';
import type { Catalog } from '../../core/models/catalog.js';
import type { ModelHost } from './model-host.js';

export interface SchedulerSettings {
  catalog: Catalog;
  host: ModelHost;
  /** Seconds, see {@link RunOptions.deadline}. */
  requestTimeout: number;
  /** Bytes of weights that may stay loaded. @default half of the device's memory */
  memoryBudget?: number;
  /** Unix milliseconds, with fraction where the platform has it. @default from `performance` */
  clock?: () => number;
  /** Told once of every load that failed and every engine that was lost. */
  onFailure?: (model: string, error: InferenceError) => void;
  /** Unique ids of tool calls. @default createToolCallId */
  createId?: () => string;
}
