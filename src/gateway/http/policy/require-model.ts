/** Which model a request may use for what. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Catalog } from '../../../core/models/catalog.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';

const OPERATIONS: Record<ModelEntry['task'], string> = {
  chat: 'generate text',
  embeddings: 'make embeddings',
  speech: 'transcribe speech',
};

/**
 * The entry behind a name, when the caller may use it and it can do the task.
 * @throws InferenceError `model_not_found`, `model_removed`, `model_not_in_plan` or `model_not_supported`
 */
export function requireModel(catalog: Catalog, name: string, task: ModelEntry['task']): ModelEntry {
  const entry = catalog.require(name);
  if (entry.task === task) return entry;
  throw new InferenceError('model_not_supported', `The model \`${name}\` cannot ${OPERATIONS[task]}.`, {
    param: 'model',
  });
}
