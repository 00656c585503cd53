/** The chat model that this device is offered: the largest of the package's list that it has room and power for. */
import { signal } from '@preact/signals';
import { deviceMemory, type RecommendedModel, recommendedModels } from 'inpage';
import { choose, type Device, type Recommendation } from './choose-model.js';

/** Undefined while no one has looked; null: this device is offered none. */
export const recommendation = signal<Recommendation | null | undefined>(undefined);
/** It has a GPU that a model runs on well. */
export const hasGPU = signal(false);

/** Looks once. Nothing leaves the origin. */
export async function findRecommendation(): Promise<void> {
  if (recommendation.value !== undefined) return;
  recommendation.value = null;
  const device = await measureDevice();
  hasGPU.value = device.device === 'webgpu';
  recommendation.value =
    choose(
      (await listFor(device)).filter(({ task }) => task === 'chat'),
      device,
    ) ?? null;
}

/** All models of the list that fit, the largest first. */
export async function listFor({ device, room }: Device): Promise<RecommendedModel[]> {
  return recommendedModels({ device, maxBytes: room });
}

export async function measureDevice(): Promise<Device> {
  const [adapter, storage] = await Promise.all([
    navigator.gpu?.requestAdapter().catch(() => null),
    navigator.storage?.estimate().catch(() => undefined),
  ]);
  // One that computes on the processor is slower than WASM.
  const isReal = adapter !== null && adapter !== undefined && !adapter.info?.isFallbackAdapter;
  return {
    device: isReal ? 'webgpu' : 'wasm',
    hasHalfFloats: adapter?.features.has('shader-f16') ?? false,
    room: (storage?.quota ?? 0) - (storage?.usage ?? 0),
    memoryGB: deviceMemory(),
  };
}
