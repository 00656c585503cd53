/** The three bundled models. @module */
import { APP_BASE } from './app-base.js';
import type { GgufEntry, TransformersEntry } from './model-entry.js';

/**
 * `tiny-chat`, `tiny-embed`, `tiny-whisper`: what `startInference()` serves without a `models` option. Their files
 * are served by the app itself, from `models/` below its base.
 */
export const DEFAULT_MODELS: readonly (GgufEntry | TransformersEntry)[] = [
  {
    id: 'tiny-chat',
    task: 'chat',
    // A model this small answers faster on WASM than on WebGPU, and this engine is 30 kB.
    backend: 'gguf',
    source: `${APP_BASE}models/tiny-chat/tiny-chat-Q8_0.gguf`,
    contextLength: 2048,
    metadata: {
      architecture: 'llama',
      capabilities: ['chat', 'completion', 'tools', 'json', 'reasoning'],
      license: 'MIT',
      overview: 'A demo model with 6.8 M parameters: chat, tools, JSON and thinking without a network.',
    },
  },
  {
    id: 'tiny-embed',
    task: 'embeddings',
    backend: 'transformers',
    source: `${APP_BASE}models/tiny-embed`,
    device: 'wasm',
    dtype: 'q8',
    contextLength: 256,
    metadata: {
      architecture: 'bert',
      license: 'MIT',
      overview:
        'Turns English sentences into 256 numbers. For trying out: puts the right text first for 32 of 112 queries (all-MiniLM-L6-v2: 75).',
    },
  },
  {
    id: 'tiny-whisper',
    task: 'speech-to-text',
    backend: 'transformers',
    source: `${APP_BASE}models/tiny-whisper`,
    device: 'wasm',
    dtype: 'q8',
    contextLength: 448,
    metadata: {
      architecture: 'whisper',
      license: 'MIT',
      overview: 'Speech recognition and translation for English, German, French and Spanish, 4.9 M parameters.',
    },
  },
];
