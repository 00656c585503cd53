/** Which file `inpage pack` takes of a repository. Runs in Node, so it loads no kernels. @module */
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { ModelFiles } from '../../../store/model-files.js';
import type { StoreEnvironment } from '../../../store/storage/store-environment.js';
import type { PackChoice } from '../pack-choice.js';
import { ENCODERS } from './architectures.js';
import { planEncoder } from './encoder-plan.js';
import type { GgufHeader } from './file/header.js';
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
  const {
    files,
    file,
    plan: task,
  } = await openGguf({ ...named, task: named.task ?? 'chat' }, options, (header) => taskOf(named, header), {
    environment,
  });
  return { files, task, choice: { files: [file], entry: { file } } };
}

/** What a file is for, where nothing says it. @throws InferenceError `model_not_supported` for one that cannot run */
function taskOf({ task }: Pick<Partial<ModelEntry>, 'task'>, header: GgufHeader): ModelEntry['task'] {
  readVocabulary(header);
  if (!Object.hasOwn(ENCODERS, String(header.metadata.get('general.architecture'))) || task === 'chat') {
    planModel(header);
    return task ?? 'chat';
  }
  const isScored = header.tensors.some(({ name }) => name.startsWith('cls.'));
  planEncoder(header, { isScored: task === undefined ? isScored : task === 'rerank' });
  return task ?? (isScored ? 'rerank' : 'embeddings');
}
