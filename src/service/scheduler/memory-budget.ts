/** Chooses which models are unloaded: the least recently used idle ones, when all exceed the memory budget. @module */
import { deviceMemory } from '../../core/platform/device-memory.js';
import type { ModelSlot } from './model-slot.js';

/** Bytes of weights that may stay loaded: half of the device's memory. */
export function defaultMemoryBudget(): number {
  return (deviceMemory() / 2) * 2 ** 30;
}

/** Unloads idle models, oldest use first, until the loaded ones fit. `keep` stays. */
export async function evictToBudget(budget: number, slots: Iterable<ModelSlot>, needed: ModelSlot): Promise<void> {
  const loaded = [...slots].filter((slot) => slot.model);
  let bytes = loaded.reduce((sum, slot) => sum + slot.bytes, 0);
  const candidates = loaded.filter((slot) => slot !== needed && slot.idle).toSorted((a, b) => a.lastUsed - b.lastUsed);
  for (const slot of candidates) {
    if (bytes <= budget) return;
    bytes -= slot.bytes;
    await slot.unload();
  }
}
