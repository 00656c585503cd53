/** The error that ends a model: the caller may try again, because the scheduler loads it anew from the cache. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';

/** Loading from the cache takes about as long. */
const RETRY_SECONDS = 5;

/** `unavailable`. @param reason a sentence for the caller; `cause` stays in this realm */
export function engineLost(reason: string, cause: unknown): InferenceError {
  return new InferenceError(
    'unavailable',
    `${reason} The model is loaded again; try again.`,
    { retryAfter: RETRY_SECONDS },
    { cause },
  );
}
