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
  /** What an app puts into `models`. */
  entryText: string;
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
  const offers = listed.map((model) => recommendationOf(model, hasHalfFloats));
  return offers.toSorted((a, b) => b.bytes - a.bytes).find(({ bytes }) => bytes <= most);
}

export function recommendationOf(model: RecommendedModel, hasHalfFloats: boolean): Recommendation {
  const { source, overview, license, backend } = model;
  const { entry, bytes } = hasHalfFloats ? model : withoutHalfFloats(model);
  const ownedBy = backend === 'web-llm' ? 'mlc-ai' : source.split('/')[0]!;
  const entryText = JSON.stringify(entry, null, 2);
  return { entry: { ...entry, ownedBy, metadata: { overview, license } }, bytes, entryText };
}

/** WebLLM's weights with scales of 32 bits are larger by so much. */
const Q4F32_SIZE = 1.1;

/** The same model for a GPU that computes with 32-bit floats only. */
function withoutHalfFloats({
  entry,
  source,
  bytes,
  backend,
  dtype,
  megabytes,
}: RecommendedModel): Pick<Recommendation, 'entry' | 'bytes'> {
  if (backend === 'web-llm') {
    const name = (text: string): string => text.replace('q4f16', 'q4f32');
    return {
      entry: { ...entry, id: name(entry.id), source: name(source) } as ModelEntry,
      bytes: bytes * Q4F32_SIZE,
    };
  }
  if (dtype !== 'q4f16' || megabytes.q4 === undefined) return { entry, bytes };
  return { entry: { ...entry, dtype: 'q4' } as ModelEntry, bytes: megabytes.q4 * 1e6 };
}
