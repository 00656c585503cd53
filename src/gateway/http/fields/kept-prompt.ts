/** Whether a client marks its prompt as one that comes back. @module */
import type { GenerationRequest } from '../../../core/request/generation-request.js';

/** By the `prompt_cache_key` of a body, whatever it is checked for. Without the app's option it changes nothing. */
export function markOf({ prompt_cache_key: key }: Record<string, unknown>): Pick<GenerationRequest, 'keepPrompt'> {
  return typeof key === 'string' && key !== '' ? { keepPrompt: 'marked' } : {};
}
