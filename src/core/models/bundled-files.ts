/** Entries that name a bundled model by its id, and no files. @module */
import { DEFAULT_MODELS } from './default-catalog.js';
import type { ModelEntry } from './model-entry.js';
import { wrongOption } from './option-schema.js';

/** Such an entry is that model with other settings; any other stays as it is. */
export function withBundledFiles(entry: ModelEntry): ModelEntry {
  if (namesFiles(entry)) return entry;
  const { id, task, backend } = entry;
  const bundled = DEFAULT_MODELS.find((each) => each.id === id && each.task === task && each.backend === backend);
  if (!bundled) return entry;
  const { source = id } = bundled;
  return { ...bundled, ...entry, source };
}

/**
 * Refuses an entry with the id of a bundled model that has no files for its task and backend. They would be looked for in a
 * folder of that name next to the page.
 * @param models after {@link withBundledFiles}
 * @throws InferenceError `invalid_request`, whose `param` is the option
 */
export function checkBundledFiles(models: readonly ModelEntry[]): void {
  for (const [index, entry] of models.entries()) {
    const { id, backend } = entry;
    const bundled = DEFAULT_MODELS.find((each) => each.id === id);
    if (!bundled || namesFiles(entry) || (backend !== 'gguf' && backend !== 'transformers')) continue;
    throw wrongOption(
      `models.${index}.source`,
      `the URL of a folder, or a hub id: the bundled \`${id}\` is of task ${bundled.task}, for backend ${bundled.backend}`,
    );
  }
}

function namesFiles({ source, file }: ModelEntry): boolean {
  return source !== undefined || file !== undefined;
}
