/** Whether calls are read in thoughts: apart from the grammar, which only few requests need. @module */
import type { GenerationRequest } from '../../core/request/generation-request.js';

/**
 * A model may call out of a thought that it did not close, where it may also not call at all. What must come, comes behind the
 * thought.
 */
export function readsCallsInThoughts(request: GenerationRequest): boolean {
  return request.toolChoice === 'auto' && request.output.type === 'text';
}
