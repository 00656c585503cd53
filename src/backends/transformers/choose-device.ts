/** WebGPU or WASM for a model. @module */
import { AutoConfig } from '@huggingface/transformers';
import { InferenceError } from '../../errors/inference-error.js';
import type { ModelEntry } from '../../models/model-entry.js';

/** Below this many weights the GPU's round trips cost more than it saves. */
const SMALLEST_FOR_GPU = 60e6;

/**
 * The entry's device; for `auto` WebGPU when there is a hardware adapter and the model is large enough to profit.
 * @param id of the model's files; its config is read only for `auto`
 * @throws InferenceError `insufficient_resources` when WebGPU (or its 16-bit floats) is asked for and not there
 */
export async function chooseDevice(entry: ModelEntry, id: string): Promise<'webgpu' | 'wasm'> {
  const wish = entry.device ?? 'auto';
  if (wish === 'wasm') return 'wasm';
  const adapter = await findAdapter();
  const halfFloats = adapter?.features.has('shader-f16') ?? false;
  const needsHalfFloats = entry.dtype?.endsWith('f16') || entry.dtype === 'fp16';
  if (wish === 'webgpu') {
    if (!adapter) {
      throw new InferenceError(
        'insufficient_resources',
        `The model \`${entry.id}\` needs WebGPU, which is not available here.`,
      );
    }
    if (needsHalfFloats && !halfFloats) {
      throw new InferenceError(
        'insufficient_resources',
        `The model \`${entry.id}\` (${entry.dtype}) needs 16-bit floats, which this GPU does not offer.`,
      );
    }
    return 'webgpu';
  }
  if (!adapter || adapter.info.isFallbackAdapter || (needsHalfFloats && !halfFloats)) return 'wasm';
  return (await countWeights(id)) >= SMALLEST_FOR_GPU ? 'webgpu' : 'wasm';
}

async function findAdapter(): Promise<GPUAdapter | null> {
  if (typeof navigator === 'undefined' || !('gpu' in navigator)) return null;
  return navigator.gpu.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null);
}

/** Weights of a transformer by its config; unknown shapes count as large. */
async function countWeights(id: string): Promise<number> {
  const config = (await AutoConfig.from_pretrained(id)) as unknown as Record<string, unknown>;
  const [width, layers] = [config['hidden_size'] ?? config['d_model'], config['num_hidden_layers']];
  const vocabulary = config['vocab_size'];
  if (typeof width !== 'number' || typeof layers !== 'number') return Infinity;
  return 12 * layers * width * width + (typeof vocabulary === 'number' ? vocabulary * width : 0);
}
