import { env, type PretrainedModelOptions } from '@huggingface/transformers';
import type { ModelEntry } from '../../models/model-entry.js';
import type { LoadOptions, ModelInfo } from '../backend.js';

export async function prepareSource(entry: ModelEntry, options: LoadOptions) {
  const node = options.pageURL.startsWith('file:');
  const url = new URL((entry.source ?? entry.id).replace(/^\//, ''), options.pageURL);
  const id = node ? decodeURIComponent(url.pathname) : url.href;
  if (!node) env.backends.onnx.wasm!.wasmPaths = options.assetsURL;
  return {
    id,
    pretrained: { dtype: (entry.dtype ?? 'q8'), device: node ? 'cpu' : 'wasm' } as PretrainedModelOptions,
    info: { device: 'wasm', threads: 1, toolFormat: 'none', reasoningFormat: 'none', images: false, contextLength: 0 } as ModelInfo,
    async readJson(_file: string): Promise<unknown> { return undefined; },
  };
}
