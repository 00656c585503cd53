/** Chooses WebGPU or WASM for a model, and checks that WASM can address its weights. @module */
import { AutoConfig } from '@huggingface/transformers';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { findAdapter, ownGpu } from '../../common/find-adapter.js';
import { dtypeFor, halfFloatsIn } from './choose-dtype.js';
import { isLargeEnoughForGpu } from './repository-files.js';

/** Where a model runs. */
interface ChosenDevice {
  device: 'webgpu' | 'wasm';
  /** The GPU computes with 16-bit floats. */
  halfFloats: boolean;
}

/**
 * The entry's device; for `auto` WebGPU when there is a hardware adapter and the model is large enough.
 * @param id of the model's files; its config is read only for `auto`
 * @throws InferenceError `insufficient_resources` when WebGPU (or its 16-bit floats) is asked for and not there
 */
export async function chooseDevice(entry: ModelEntry, id: string): Promise<ChosenDevice> {
  const wish = entry.device ?? 'auto';
  const onCpu = { device: 'wasm', halfFloats: false } as const;
  if (wish === 'wasm') return onCpu;
  const adapter = await findAdapter(ownGpu());
  const halfFloats = adapter?.features.has('shader-f16') ?? false;
  const dtype = halfFloatsIn(dtypeFor(entry, 'webgpu'));
  const needsHalfFloats = dtype !== undefined;
  if (wish === 'webgpu') {
    if (!adapter) {
      throw new InferenceError(
        'insufficient_resources',
        `The model \`${entry.id}\` needs WebGPU, which this browser or device does not offer. Leave \`device\` out, and it runs on WASM.`,
      );
    }
    if (needsHalfFloats && !halfFloats) {
      throw new InferenceError(
        'insufficient_resources',
        `The model \`${entry.id}\` (${dtype}) needs 16-bit floats (\`shader-f16\`), which this GPU does not support.`,
      );
    }
    return { device: 'webgpu', halfFloats };
  }
  if (!adapter || adapter.info.isFallbackAdapter || (needsHalfFloats && !halfFloats)) return onCpu;
  const config = (await AutoConfig.from_pretrained(id)) as unknown as Record<string, unknown>;
  return isLargeEnoughForGpu(config) ? { device: 'webgpu', halfFloats } : onCpu;
}

/** Bytes that ONNX Runtime's WASM can address in all. */
const WASM_BYTES = 4 * 2 ** 30;

/**
 * Refuses, before the download, weights that WASM cannot address.
 * @param bytes of all files
 * @throws InferenceError `insufficient_resources`
 */
export function checkMemory({ id }: ModelEntry, bytes: number): void {
  if (bytes < WASM_BYTES) return;
  throw new InferenceError(
    'insufficient_resources',
    `The model \`${id}\` has ${(bytes / 2 ** 30).toFixed(1)} GB of weights, and WASM can address 4 GB. Use a smaller \`dtype\`, a smaller model, or WebGPU.`,
    { param: 'model', neededBytes: bytes },
  );
}
