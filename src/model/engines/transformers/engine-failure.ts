/** Whose fault is it that a model did not load? @module */
import { ModelFileNotFoundError } from '@huggingface/transformers';
import { isInferenceError } from '../../../core/errors/inference-error.js';

/**
 * The engine broke on files that are there: another device may well run them. What is missing, gated or refused by us
 * stays so on every device.
 */
export function isEngineFailure(thrown: unknown): boolean {
  return !isInferenceError(thrown) && !(thrown instanceof ModelFileNotFoundError);
}
