/** The engine for GGUF files: kernels of our own, on WASM. @module */
import type { Backend, LoadedModel, LoadOptions } from '../../../core/models/backend.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { fetchPart } from '../../../core/errors/fetch-part.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { openPromptDisk } from '../prompt-disk.js';
import { loadFailure } from '../load-failure.js';
import { assembleTextModel, type PlannedModel, planTextModel, withAdapters } from './assemble-text-model.js';
import { chooseBuild } from './choose-build.js';
import { fetchTogether, identifyAdapters, openAdapters, type OpenedAdapter } from './gguf-adapters.js';
import { type GgufSource, openGguf } from './gguf-source.js';
import { PAGE_FORMAT } from './kv-pages.js';
import type { PlannedReader } from './load-reading-model.js';

/** What cached prompts in packs are for. */
const PROMPT_FOR = 'it is for the file and the version that it was packed with, and for browsers with relaxed SIMD';

export const ggufBackend: Backend = {
  async load(entry, options) {
    try {
      checkTask(entry);
      if (entry.task !== 'chat') return await loadReader(entry, options);
      const { source, adapters, planned } = await openChat(entry, options);
      await fetchTogether([source, ...adapters], true);
      options.onProgress({ model: entry.id, loadedBytes: 0, totalBytes: 0, stage: 'initialize' });
      const warnings: string[] = [];
      const warn = (text: string): void => {
        console.warn(`inpage: the model \`${entry.id}\`: ${text}`);
        warnings.push(text);
      };
      const model = await assembleTextModel(entry, planned, source.weights(), {
        warn,
        openPrompts: (rounding) => {
          const identity = async (): Promise<string | undefined> => {
            const always = adapters.filter(({ id }) => id === undefined);
            const [hash, adapted] = await Promise.all([source.contentHash(), identifyAdapters(always)]);
            if (hash === undefined || adapted === undefined) return undefined;
            const parts = [hash, planned.shape.exact, rounding, PAGE_FORMAT];
            return JSON.stringify(always.length === 0 ? parts : [...parts, adapted]);
          };
          return openPromptDisk({ ...source, identity, warn }, options.promptCache, PROMPT_FOR);
        },
      });
      const warning = warnings.join(' ');
      const described = { ...model.info, description: source.description, ...(warning !== '' && { warning }) };
      return Object.assign(model, { info: described });
    } catch (thrown) {
      throw loadFailure(thrown, entry, options.signal);
    }
  },

  async fetchFiles(entry, options) {
    try {
      checkTask(entry);
      if (entry.task === 'chat') {
        const { source, adapters } = await openChat(entry, options);
        await fetchTogether([source, ...adapters]);
      } else await (await openReader(entry, options)).fetch();
    } catch (thrown) {
      throw loadFailure(thrown, entry, options.signal);
    }
  },
};

/** @throws InferenceError `model_not_supported`, permanent */
function checkTask({ id, task }: ModelEntry): void {
  if (task === 'chat' || task === 'embeddings' || task === 'rerank') return;
  const message = `The model \`${id}\` has the task \`${task}\`, and GGUF files run as \`chat\`, \`embeddings\` and \`rerank\` models.`;
  throw new InferenceError('model_not_supported', message, { param: 'model', permanent: true });
}

/** A model and its adapters, whose heads were read. */
interface OpenedChat {
  source: GgufSource<PlannedModel>;
  adapters: OpenedAdapter[];
  planned: PlannedModel;
}

async function openChat(entry: ModelEntry, options: LoadOptions): Promise<OpenedChat> {
  const source = await openGguf(entry, options, (header) => planTextModel(entry, header));
  const adapters = await openAdapters(entry, options, source);
  return { source, adapters, planned: withAdapters(entry, source.plan, adapters) };
}

/** Finds out what a load begins with. Never rejects: a load meets the same failure, and says so. */
export async function prepareGguf(): Promise<void> {
  await chooseBuild().catch(() => {});
}

/** Most pages have chat models alone. */
const readers = () => fetchPart(() => import('./load-reading-model.js'));

async function openReader(entry: ModelEntry, options: LoadOptions): Promise<GgufSource<PlannedReader>> {
  const { planReader } = await readers();
  return openGguf(entry, options, (header) => planReader(entry, header));
}

async function loadReader(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel> {
  const source = await openReader(entry, options);
  await source.fetch([source.file], true);
  const { assembleReader } = await readers();
  return assembleReader(entry, source, options);
}
