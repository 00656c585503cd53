/** Models of the hub to begin with, for an app that offers its visitors one. @module */
import type { RecommendationFilter, RecommendedModel } from '../core/models/recommended-models.js';

/**
 * Models of the Hugging Face Hub that run here, the largest that fits first: what each is for, the precision for the device
 * and the bytes of its weights, before anything is downloaded. `source`, `task`, `device` and `dtype` go into a `ModelEntry`
 * with `backend: 'transformers'`. The list is part of the package; the hub is not asked.
 * @throws TypeError when the list cannot be fetched from the app's own origin
 * @example
 * const [best] = await recommendedModels({ task: 'chat', device: 'webgpu', maxBytes: 1e9 });
 */
export async function recommendedModels(filter: RecommendationFilter = {}): Promise<RecommendedModel[]> {
  const { recommend } = await import('../core/models/recommended-models.js');
  return recommend(filter);
}
