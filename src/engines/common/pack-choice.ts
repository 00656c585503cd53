/** The files of a model that `inpage pack` takes. @module */
import type { Lora } from '../../core/models/lora.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { ModelFiles } from '../../store/model-files.js';

/** An adapter, whose file may be in another folder than the model's. */
export interface PackedAdapter {
  files: ModelFiles;
  /** Its name there, and in the pack. */
  file: string;
  name: string;
  lora: Pick<Lora, 'id' | 'scale'>;
}

export interface PackChoice {
  /** Names in the model's folder, or URLs. Some may not be there. */
  files: string[];
  /** Fields for the entry of the packed model, so that it loads these files and no others, and is read as under the name it had. */
  entry: Pick<ModelEntry, 'device' | 'dtype' | 'file' | 'pooling'>;
  adapters?: readonly PackedAdapter[];
}
