/** The transformers.js engine: ONNX models on WASM and WebGPU. @module */
import { fetchPart } from '../../core/errors/fetch-part.js';
import type { Backend } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { PlainLoadOptions } from '../../relay/protocol.js';
import { importRuntime, runsOnWasm } from './ort/runtime-module.js';

/** The code of each task. */
const TASKS = {
  chat: async () => (await fetchPart(() => import('./text/load-text-model.js'))).loadTextModel,
  embeddings: async () => (await fetchPart(() => import('./embeddings/load-embedding-model.js'))).loadEmbeddingModel,
  rerank: async () => (await fetchPart(() => import('./ranking/load-ranking-model.js'))).loadRankingModel,
  'speech-to-text': async () => (await fetchPart(() => import('./speech/load-speech-model.js'))).loadSpeechModel,
  'text-to-speech': async () => (await fetchPart(() => import('./voice/load-voice-model.js'))).loadVoiceModel,
} satisfies Record<ModelEntry['task'], () => Promise<Backend['load']>>;

/** Loads models of all tasks; the code of each task is imported on demand. */
export const transformersBackend: Backend = {
  async load(entry, options) {
    // It is fetched and compiled beside the code of the task and the model's files.
    if (runsOnWasm(entry)) void importRuntime(options.assetsURL);
    const load = await TASKS[entry.task]();
    return load(entry, options);
  },
  async fetchFiles(entry, options) {
    await (await fetchPart(() => import('./repository/load-from-source.js'))).fetchFiles(entry, options);
  },
};

/** Fetches and compiles what a load of this model begins with. Never rejects: a load meets the same failure, and says so. */
export async function prepareTransformers(entry: ModelEntry, { assetsURL }: PlainLoadOptions): Promise<void> {
  await Promise.allSettled([runsOnWasm(entry) && importRuntime(assetsURL), TASKS[entry.task]()]);
}
