/** The engine for GGUF files: kernels of our own, on WASM. @module */
import type { Backend } from '../../../core/models/backend.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { loadFailure } from '../load-failure.js';
import { assembleTextModel, type PlannedModel, planTextModel } from './assemble-text-model.js';
import { type GgufSource, openGguf } from './gguf-source.js';

export const ggufBackend: Backend = {
  async load(entry, options) {
    try {
      const source = await openModel(entry, options);
      await source.fetch();
      options.onProgress({ model: entry.id, loadedBytes: 0, totalBytes: 0, stage: 'initialize' });
      const model = await assembleTextModel(entry, source.plan, source.weights());
      return Object.assign(model, { info: { ...model.info, description: source.description } });
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
