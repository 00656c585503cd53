/** Notices that the GPU of a model is gone. @module */
import { env } from '@huggingface/transformers';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ModelInfo } from '../../../core/models/backend.js';

/**
 * Resolves when ONNX Runtime's device is lost for another reason than our own unloading; never on WASM, where nothing can
 * be lost but the worker, and that is noticed from outside. To be asked for once the model is loaded: before, there is no
 * device.
 */
export async function deviceLoss(device: ModelInfo['device']): Promise<InferenceError> {
  const gpu = device === 'webgpu' ? await engineDevice() : undefined;
  if (!gpu || (await gpu.lost).reason === 'destroyed') return new Promise(() => {});
  return new InferenceError('unavailable', 'The GPU device was lost.', { retryAfter: 5 });
}

/** An engine that does not tell its device cannot be watched, but works. */
async function engineDevice(): Promise<GPUDevice | undefined> {
  try {
    return await env.backends.onnx.webgpu?.device;
  } catch {
    return undefined;
  }
}
