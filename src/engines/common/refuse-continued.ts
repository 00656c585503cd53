/** Engines whose interface has no place for the beginning of an answer. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';

/** @throws InferenceError `invalid_request` for an answer that is to go on with a text */
export function refuseContinued({ continued, paramNames }: GenerationRequest, model: string): void {
  if (!continued) return;
  const param = paramNames?.messages ?? 'messages';
  throw new InferenceError(
    'invalid_request',
    `\`${param}\` ends with the assistant's turn, which ${model} cannot continue.`,
    { param },
  );
}
