/** Models of the package's list for this device. Fetched when an element has the attribute `recommended`. @module */
import { TIGHT } from '../core/models/model-estimate.js';
import { recommend, type RecommendationFilter, type RecommendedModel } from '../core/models/recommended-models.js';
import { deviceMemory } from '../core/platform/device-memory.js';

/** @param task of the attribute; undefined: all */
export async function recommendedHere(task: string | undefined): Promise<RecommendedModel[]> {
  const adapter = await navigator.gpu?.requestAdapter().catch(() => null);
  const hasFastGpu = adapter != null && adapter.features.has('shader-f16');
  return recommend({
    ...(task !== undefined && { task: task as NonNullable<RecommendationFilter['task']> }),
    device: hasFastGpu ? 'webgpu' : 'wasm',
    maxBytes: deviceMemory() * 2 ** 30 * TIGHT.memory,
  });
}
