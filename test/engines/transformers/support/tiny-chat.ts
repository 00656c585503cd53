/** The bundled chat model in the realm of the test. @module */
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';

/** @param folder where ONNX Runtime's files are: `/inpage/`, or `/inpage-plain/` without `ort-module.mjs` */
export function loadTinyChat(folder: string, device: 'wasm' | 'webgpu' = 'wasm'): Promise<TextModel> {
  const entry: ModelEntry = {
    id: 'tiny-chat',
    task: 'chat',
    backend: 'transformers',
    source: '/models/tiny-chat',
    device,
    dtype: 'q8',
  };
  return loadTextModel(entry, {
    onProgress: () => {},
    signal: new AbortController().signal,
    assetsURL: new URL(folder, location.href).href,
    pageURL: location.href,
  });
}

/** What `ort-module.mjs` left of the runtime that this realm loaded. */
export function runtimeModule(): Record<string, unknown> | undefined {
  const shared = globalThis as unknown as Record<symbol, { module: Record<string, unknown> } | undefined>;
  return shared[Symbol.for('inpage.onnx-runtime')]?.module;
}
