/** Entries that name a bundled model by its id, and no files. @module */
import { APP_BASE } from './app-base.js';
import { DEFAULT_MODELS } from './default-catalog.js';
import type { ModelEntry } from './model-entry.js';
import { wrongOption } from './option-schema.js';

const [TINY_CHAT] = DEFAULT_MODELS;

/** What comes with the package. The ONNX files of tiny-chat lie beside its GGUF file. */
const BUNDLED: readonly ModelEntry[] = [
  ...DEFAULT_MODELS,
  {
    ...TINY_CHAT!,
    backend: 'transformers',
    source: `${APP_BASE}models/tiny-chat`,
    dtype: { wasm: 'q8', webgpu: 'q4' },
  },
];

/** Such an entry is that model with other settings; any other stays as it is. */
export function withBundledFiles(entry: ModelEntry): ModelEntry {
  if (namesFiles(entry)) return entry;
  const { id, task, backend } = entry;
  const bundled = BUNDLED.find((each) => each.id === id && each.task === task && each.backend === backend);
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
    const bundled = BUNDLED.filter((each) => each.id === id);
    if (bundled.length === 0 || namesFiles(entry) || (backend !== 'gguf' && backend !== 'transformers')) continue;
    const backends = bundled.map((each) => each.backend).join(' and ');
    throw wrongOption(
      `models.${index}.source`,
      `the URL of a folder, or a hub id: the bundled \`${id}\` is of task ${bundled[0]!.task}, for backend ${backends}`,
    );
  }
}

function namesFiles({ source, file }: ModelEntry): boolean {
  return source !== undefined || file !== undefined;
}
