/** Which model a request may use for what. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { type Catalog, listModels } from '../../../core/models/catalog.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';

const OPERATIONS: Record<ModelEntry['task'], string> = {
  chat: 'generate text',
  embeddings: 'make embeddings',
  rerank: 'rank documents',
  'speech-to-text': 'transcribe speech',
  'text-to-speech': 'speak',
};

/**
 * The entry behind a name, when the caller may use it and it can do the task.
 * @throws InferenceError `model_not_found`, `model_removed`, `model_not_in_plan` or `model_not_supported`
 */
export function requireModel(catalog: Catalog, name: string, task: ModelEntry['task']): ModelEntry {
  const entry = catalog.require(name, task);
  if (entry.task === task) return entry;
  const able = catalog.usable().filter((other) => other.task === task);
  const hint =
    able.length === 0 ? `To do this, add an entry with \`task: '${task}'\` to \`models\`` : `Use ${listModels(able)}`;
  const message = `The model \`${name}\` cannot ${OPERATIONS[task]}. ${hint}.`;
  throw new InferenceError('model_not_supported', message, { param: 'model' });
}
