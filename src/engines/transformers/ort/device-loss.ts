/** Detects that the GPU device of a model is lost. @module */
import { env } from '@huggingface/transformers';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ModelInfo } from '../../../core/models/backend.js';

/**
 * Resolves when ONNX Runtime's device is lost, except by unloading; never on WASM. Call it when the model is loaded, because
 * there is no device before.
 */
export async function deviceLoss(device: ModelInfo['device']): Promise<InferenceError> {
  const gpu = device === 'webgpu' ? await engineDevice() : undefined;
  if (!gpu || (await gpu.lost).reason === 'destroyed') return new Promise(() => {});
  return new InferenceError('unavailable', 'The GPU device was lost.', { retryAfter: 5 });
}

/** Undefined when the runtime does not expose its device; then its loss is not detected. */
async function engineDevice(): Promise<GPUDevice | undefined> {
  try {
    return await env.backends.onnx.webgpu?.device;
  } catch {
    return undefined;
  }
}
