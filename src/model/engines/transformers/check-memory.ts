/** Can the weights be in memory at all? @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';

/** What ONNX Runtime's WASM can address, with nothing left for anything else. */
const WASM_BYTES = 4 * 2 ** 30;

/**
 * Before a download: weights that WASM cannot hold.
 * @param bytes of all files
 * @throws InferenceError `insufficient_resources`
 */
export function checkMemory({ id }: ModelEntry, bytes: number): void {
  if (bytes < WASM_BYTES) return;
  throw new InferenceError(
    'insufficient_resources',
    `The model \`${id}\` has ${(bytes / 2 ** 30).toFixed(1)} GB of weights, and WASM can address 4 GB: take a smaller \`dtype\` or model, or WebGPU.`,
    { param: 'model', neededBytes: bytes },
  );
}
