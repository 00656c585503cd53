/** Which of the recommended models a device is offered. */
import type { ModelEntry, RecommendedModel } from 'inpage';

/** What decides about it. */
export interface Device {
  device: 'webgpu' | 'wasm';
  /** The GPU computes with 16-bit floats. */
  hasHalfFloats: boolean;
  /** Bytes that may still be stored. */
  room: number;
  /** As far as browsers tell it: 8 stands for 8 and more. */
  memoryGB: number;
}

export interface Recommendation {
  entry: ModelEntry;
  /** Of its weights. */
  bytes: number;
}

/** Bytes that a visitor is asked to wait for, by gigabytes of memory. */
const MAX_BYTES = { webgpu: { small: 6e8, large: 1.3e9 }, wasm: { small: 3e8, large: 6e8 } };

/** A device with this many gigabytes may take the larger ones. */
const LARGE_MEMORY = { webgpu: 8, wasm: 4 };

/** @param listed the largest first */
export function choose(
  listed: readonly RecommendedModel[],
  { device, hasHalfFloats, room, memoryGB }: Device,
): Recommendation | undefined {
  const most = Math.min(room, MAX_BYTES[device][memoryGB >= LARGE_MEMORY[device] ? 'large' : 'small']);
  return listed.map((model) => recommendationOf(model, hasHalfFloats)).find(({ bytes }) => bytes <= most);
}

export function recommendationOf(model: RecommendedModel, hasHalfFloats: boolean): Recommendation {
  const { source, task, device, overview, license, megabytes } = model;
  const isHalf = model.dtype === 'q4f16' && !hasHalfFloats && megabytes.q4 !== undefined;
  const dtype = isHalf ? 'q4' : model.dtype;
  const [ownedBy = '', id = source] = source.split('/');
  return {
    entry: { id, task, backend: 'transformers', source, device, dtype, ownedBy, metadata: { overview, license } },
    bytes: isHalf ? megabytes.q4 * 1e6 : model.bytes,
  };
}
