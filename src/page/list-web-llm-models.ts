/** WebLLM's list of ready-made models, for an app that lets its visitors choose one. @module */
import type { PrebuiltModel } from '../model/engines/web-llm/prebuilt-models.js';

/**
 * The chat models of WebLLM's list, smallest first, with what each needs: shown before anything is downloaded. An id goes
 * into a `ModelEntry` with `backend: 'web-llm'`. Fetches the list (not a model) from the app's own origin when first called.
 * @throws TypeError when that fetch fails
 */
export async function listWebLlmModels(): Promise<PrebuiltModel[]> {
  const prebuilt = await import('../model/engines/web-llm/prebuilt-models.js');
  return prebuilt.listWebLlmModels();
}
