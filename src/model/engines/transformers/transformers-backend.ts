/** The transformers.js engine: ONNX models on WASM and WebGPU. @module */
import type { Backend } from '../../../core/models/backend.js';

/** Loads models of all tasks; the code of each task is imported on demand. */
export const transformersBackend: Backend = {
  async load(entry, options) {
    switch (entry.task) {
      case 'chat':
        return (await import('./text/load-text-model.js')).loadTextModel(entry, options);
      case 'embeddings':
        return (await import('./embeddings/load-embedding-model.js')).loadEmbeddingModel(entry, options);
      case 'rerank':
        return (await import('./ranking/load-ranking-model.js')).loadRankingModel(entry, options);
      case 'speech':
        return (await import('./speech/load-speech-model.js')).loadSpeechModel(entry, options);
      case 'text-to-speech':
        return (await import('./voice/load-voice-model.js')).loadVoiceModel(entry, options);
    }
  },
  async fetchFiles(entry, options) {
    await (await import('./load-from-source.js')).fetchFiles(entry, options);
  },
};
