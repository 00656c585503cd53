/** What `inpage pack` takes of a model. @module */
import type { ModelEntry } from '../../core/models/model-entry.js';

export interface PackChoice {
  /** Names in the model's folder, or URLs. Some may not be there. */
  files: string[];
  /** What the entry of the packed model says, so that it asks for these files and no others. */
  entry: Pick<ModelEntry, 'device' | 'dtype'>;
}
