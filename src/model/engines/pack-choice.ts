/** The files of a model that `inpage pack` takes. @module */
import type { ModelEntry } from '../../core/models/model-entry.js';

export interface PackChoice {
  /** Names in the model's folder, or URLs. Some may not be there. */
  files: string[];
  /** Fields for the entry of the packed model, so that it loads these files and no others, and is read as under the name it had. */
  entry: Pick<ModelEntry, 'device' | 'dtype' | 'file' | 'pooling'>;
}
