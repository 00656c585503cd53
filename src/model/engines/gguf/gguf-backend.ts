/** The engine for GGUF files: kernels of our own, on WASM. @module */
import type { Backend } from '../../../core/models/backend.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { openPromptDisk } from '../prompt-disk.js';
import { loadFailure } from '../load-failure.js';
import { assembleTextModel, type PlannedModel, planTextModel } from './assemble-text-model.js';
import { chooseBuild } from './choose-build.js';
import { type GgufSource, openGguf } from './gguf-source.js';

/** What cached prompts in packs are for. */
const PROMPT_FOR = 'it is for the file and the version that it was packed with, and for browsers with relaxed SIMD';

export const ggufBackend: Backend = {
  async load(entry, options) {
    try {
      const source = await openModel(entry, options);
      await source.fetch();
      options.onProgress({ model: entry.id, loadedBytes: 0, totalBytes: 0, stage: 'initialize' });
      const warnings: string[] = [];
      const warn = (text: string): void => {
        console.warn(`inpage: the model \`${entry.id}\`: ${text}`);
        warnings.push(text);
      };
      const model = await assembleTextModel(entry, source.plan, source.weights(), {
        warn,
        openPrompts: (rounding) => {
          const identity = async (): Promise<string | undefined> => {
            const hash = await source.contentHash();
            return hash && JSON.stringify([hash, source.plan.shape.exact, rounding]);
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
      await (await openModel(entry, options)).fetch();
    } catch (thrown) {
      throw loadFailure(thrown, entry, options.signal);
    }
  },
};

async function openModel(
  entry: Parameters<Backend['load']>[0],
  options: Parameters<Backend['load']>[1],
): Promise<GgufSource<PlannedModel>> {
  if (entry.task !== 'chat') {
    const message = `The model \`${entry.id}\` has the task \`${entry.task}\`, and GGUF files run as \`chat\` models.`;
    throw new InferenceError('model_not_supported', message, { param: 'model', permanent: true });
  }
  return openGguf(entry, options, (header) => planTextModel(entry, header));
}

/** Finds out what a load begins with. Never rejects: a load meets the same failure, and says so. */
export async function prepareGguf(): Promise<void> {
  await chooseBuild().catch(() => {});
}
