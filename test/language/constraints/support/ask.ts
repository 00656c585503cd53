/** A chat request for tests of constraints. @module */
import { type GenerationRequest, plainGenerationRequest } from '../../../../src/core/request/generation-request.js';

/** A request that asks for nothing but what `more` says. */
export function ask(more: Partial<GenerationRequest>): GenerationRequest {
  return { ...plainGenerationRequest('tiny-chat', { type: 'chat', messages: [] }), ...more };
}
