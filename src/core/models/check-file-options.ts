/** What the option `files` names must be in the catalog. @module */
import { entriesByName } from './catalog.js';
import type { FileOptions } from './inference-options.js';
import type { ModelEntry } from './model-entry.js';
import { wrongOption } from './option-schema.js';

/** @throws InferenceError `invalid_request`, whose `param` is the option */
export function checkFileOptions(files: FileOptions | undefined, models: readonly ModelEntry[]): void {
  const byName = entriesByName(models);
  for (const [field, task] of [
    ['embeddingModel', 'embeddings'],
    ['rerankModel', 'rerank'],
  ] as const) {
    const id = files?.[field];
    if (id === undefined || byName.get(id)?.task === task) continue;
    throw wrongOption(`files.${field}`, `the id of a model of the task \`${task}\` in \`models\``);
  }
}
