/** Weights of a measured model: drawn at random, some of them again and again, so that gigabytes are made in a moment. @module */
import type { GgufHeader, ReadRange } from '../../src/engines/gguf/file/header.js';
import { madeBytes } from '../../src/engines/gguf/webgpu/made-model.js';

/** Reads a file that is not there. */
export function madeWeights({ tensors }: GgufHeader): ReadRange {
  const made = new Map<string, Uint8Array>();
  return async (from, to) => {
    const tensor = tensors.find(({ offset, bytes }) => from >= offset && from < offset + bytes)!;
    const key = [tensor.kind, tensor.shape.length, tensor.shape[0]].join();
    const count = to - from;
    const has = made.get(key);
    if (has && has.length >= count) return has.subarray(0, count);
    const bytes = madeBytes(tensor, { count, around: tensor.name.endsWith('.bias') ? 0 : 1, seed: 7 });
    made.set(key, bytes);
    return bytes;
  };
}
