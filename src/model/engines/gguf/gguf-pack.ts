/** Which file `inpage pack` takes of a repository. Runs in Node, so it loads no kernels. @module */
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { ModelFiles } from '../../../store/model-files.js';
import type { StoreEnvironment } from '../../../store/storage/store-environment.js';
import type { PackChoice } from '../pack-choice.js';
import { openGguf } from './gguf-source.js';
import { planModel } from './model-plan.js';
import { readVocabulary } from './tokenizer/vocabulary.js';

/**
 * The file of an entry, whose head is read first.
 * @throws InferenceError `invalid_request` when the entry does not name one file, `unavailable`, `model_not_supported`
 */
export async function chooseForPack(
  named: Omit<ModelEntry, 'task'> & { task?: ModelEntry['task'] },
  options: Parameters<typeof openGguf>[1],
  environment: StoreEnvironment,
): Promise<{ files: ModelFiles; task: ModelEntry['task']; choice: PackChoice }> {
  const task = named.task ?? 'chat';
  const { files, file } = await openGguf(
    { ...named, task },
    options,
    (header) => [planModel(header), readVocabulary(header)],
    environment,
  );
  return { files, task, choice: { files: [file], entry: { file } } };
}
