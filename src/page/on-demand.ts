/** Functions of the page whose code is fetched when they are first called. @module */
import type { Finding } from './diagnosis/finding.js';
import type { WebLlmModelInfo } from '../engines/web-llm/list-models.js';
import type { RecommendationFilter, RecommendedModel } from '../core/models/recommended-models.js';

/**
 * Checks the page, the browser and the files that the service needs: the one that was started last on this page, also when
 * it failed to start, else what `startInference()` would start without options. Only the app's own origin is asked.
 * `npx inpage doctor URL` prints the same. Never rejects for what it finds.
 * @throws TypeError when the checks themselves cannot be fetched
 * @example
 * for (const { level, check, message, fix } of await diagnose()) console.log(level, check, message, fix ?? '');
 */
export async function diagnose(): Promise<Finding[]> {
  const { runChecks } = await import('./diagnosis/run-checks.js');
  return runChecks();
}

/**
 * The chat models of WebLLM's list, smallest first, with what each needs: shown before anything is downloaded. An id goes
 * into a `ModelEntry` with `backend: 'web-llm'`. Fetches the list (not a model) from the app's own origin when first called.
 * @throws TypeError when that fetch fails
 */
export async function listWebLlmModels(): Promise<WebLlmModelInfo[]> {
  const prebuilt = await import('../engines/web-llm/list-models.js');
  return prebuilt.listWebLlmModels();
}

/**
 * Models of the Hugging Face Hub that run here, the largest that fits first: what each is for, the precision for the device
 * and the bytes of its weights, before anything is downloaded. `entry` goes into `models` of `startInference` as it is. The
 * list is part of the package; the hub is not asked.
 * @throws TypeError when the list cannot be fetched from the app's own origin
 * @example
 * const [best] = await recommendedModels({ task: 'chat', device: 'webgpu', maxBytes: 1e9 });
 */
export async function recommendedModels(filter: RecommendationFilter = {}): Promise<RecommendedModel[]> {
  const { recommend } = await import('../core/models/recommended-models.js');
  return recommend(filter);
}
