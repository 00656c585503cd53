/** How a model is asked where the visitor sets nothing: as its makers want it sampled, and not without end. @module */
import { inference, isAdded } from '../inference.js';
import type { RequestSettings } from './settings.js';

/** Tokens of an answer. Small models may not find an end. */
const MAX_TOKENS = 2048;

/** What the service decodes greedily by itself goes round in circles with many models, so their own sampling is sent. */
export async function modelDefaults(id: string): Promise<RequestSettings> {
  if (!isAdded(id)) return {};
  // Its files are read when it is loaded. What is wrong with it, the request says.
  await inference.value?.load(id).catch(() => {});
  const sampling = inference.value?.status().find((model) => model.id === id)?.sampling;
  return {
    maxTokens: MAX_TOKENS,
    ...(sampling && { temperature: sampling.temperature }),
    ...(sampling?.topP !== undefined && { topP: sampling.topP }),
    ...(sampling?.topK !== undefined && { topK: sampling.topK }),
  };
}
