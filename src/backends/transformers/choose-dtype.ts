/** The precision of a model's weights on a device. @module */
import type { ModelEntry } from '../../models/model-entry.js';

/** The file of a model in one part, as repositories made for transformers.js name it. */
export function modelFile(dtype: string): string {
  return `onnx/model${dtypeSuffix(dtype)}.onnx`;
}

/** What stands for a precision in a file's name. */
export function dtypeSuffix(dtype: string): string {
  return dtype === 'fp32' ? '' : dtype === 'q8' ? '_quantized' : `_${dtype}`;
}

/** Precisions whose weights are unpacked in every product: fast on a GPU, very slow in WASM. */
const PACKED = /^(q[124]|bnb4)/;

/** What the entry itself says for a device; undefined: nothing, or `auto`. */
export function dtypeFor({ dtype }: ModelEntry, device: 'webgpu' | 'wasm'): string | undefined {
  const said = typeof dtype === 'object' ? dtype[device] : dtype;
  return said === 'auto' ? undefined : said;
}

/** Why a precision should not be used on a device; undefined: nothing speaks against it. */
export function dtypeWarning(dtype: string | undefined, device: 'webgpu' | 'wasm'): string | undefined {
  if (device !== 'wasm' || dtype === undefined || !PACKED.test(dtype)) return undefined;
  return `${dtype} on WASM decodes about seven times slower than q8: use dtype 'auto', or { wasm: 'q8', webgpu: '${dtype}' }.`;
}

/**
 * What the entry says; for chat models that say nothing the fastest form that the repository has: 8 bits on WASM, 4 on
 * WebGPU. Undefined: transformers.js's own default.
 * @param has whether the repository has a file
 * @param halfFloats the GPU computes with 16-bit floats
 */
export async function chooseDtype(
  entry: ModelEntry,
  device: 'webgpu' | 'wasm',
  has: (file: string) => Promise<boolean>,
  halfFloats: boolean,
): Promise<string | undefined> {
  const said = dtypeFor(entry, device);
  if (said !== undefined || entry.task !== 'chat') return said;
  const wished = device === 'wasm' ? ['q8', 'int8', 'uint8'] : [...(halfFloats ? ['q4f16'] : []), 'q4'];
  for (const dtype of wished) if (await has(modelFile(dtype))) return dtype;
  return undefined;
}
