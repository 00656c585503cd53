/** Why a model does not run on a GPU, and what is said of it. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';

/** Why a model cannot run on a GPU. */
export interface GpuRefusal {
  code: 'insufficient_resources' | 'model_not_supported';
  /** The end of "…, because …". */
  why: string;
  neededBytes?: number;
}

/** Passes a refusal on where another device may run the entry. @throws InferenceError where it wants WebGPU alone */
export function checkRefusal({ id, device }: Pick<ModelEntry, 'id' | 'device'>, refusal: GpuRefusal): GpuRefusal {
  if (device !== 'webgpu') return refusal;
  const { code, why, neededBytes } = refusal;
  const message = `The model \`${id}\` cannot run on WebGPU, because ${why}. With \`device: "auto"\` it runs on WASM.`;
  throw new InferenceError(code, message, {
    param: 'device',
    ...(code === 'model_not_supported' && { permanent: true }),
    ...(neededBytes !== undefined && { neededBytes }),
  });
}

/** What `status()` says where `auto` passed WebGPU over. */
export const reasonOf = ({ why }: GpuRefusal): string => `It does not run on WebGPU, because ${why}.`;

/** What `status()` says of GPUs that are taken. */
export const SIMULATED = 'the GPU here is simulated by the processor, which is slower than WASM: leave `device` out.';
export const OTHER_BITS =
  'this GPU adds in another order when several texts are read together, so the last bits of results may differ between runs.';
