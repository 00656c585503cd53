/** Whose files a load opens, and where it stores them. @module */
import type { LoadProgress } from '../core/models/model-entry.js';
import type { StoreEnvironment } from './storage/store-environment.js';

export interface ModelFilesOptions {
  /** Catalog id, for progress and errors. */
  id: string;
  /** Absolute URL of the files' folder; ends with `/`. */
  folder: string;
  /** What stands behind the names of files in their URLs, with its question mark. @default '' */
  query?: string | undefined;
  /** See `ModelEntry`. */
  integrity: string | Record<string, string> | undefined;
  environment: StoreEnvironment;
  /** The files come from a folder that a person picked, which may lack some that the source has. */
  isLocal?: boolean;
  onProgress: (progress: LoadProgress) => void;
  signal: AbortSignal;
}
