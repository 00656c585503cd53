/** Failures that tests ask for: their statuses, and the errors that requests then get. @module */
import { UNAVAILABLE } from '../errors/error-bodies.js';
import { InferenceError, type InferenceErrorCode } from '../errors/inference-error.js';

/** Statuses that a simulated failure can have. 529 is what Anthropic answers when it is overloaded. */
export const FAILURE_STATUSES = [400, 401, 404, 408, 413, 429, 500, 502, 503, 504, 529] as const;

/** An HTTP status that can be simulated. */
export type FailureStatus = (typeof FAILURE_STATUSES)[number];

const FAILURES: Record<FailureStatus, { code: InferenceErrorCode; message: string }> = {
  400: { code: 'invalid_request', message: 'The request is invalid.' },
  401: { code: 'unauthenticated', message: 'The API key is invalid.' },
  404: { code: 'model_not_found', message: 'The model does not exist.' },
  408: { code: 'timeout', message: 'The request timed out.' },
  413: { code: 'payload_too_large', message: 'The request body is too large.' },
  429: { code: 'rate_limit_exceeded', message: 'The rate limit has been exceeded. Try again later.' },
  500: { code: 'internal', message: 'The server had an error while processing your request.' },
  502: { code: 'unavailable', message: 'Bad Gateway' },
  503: { code: 'unavailable', message: UNAVAILABLE },
  504: { code: 'unavailable', message: 'Gateway Timeout' },
  529: { code: 'unavailable', message: 'Overloaded' },
};
const RETRIED: ReadonlySet<FailureStatus> = new Set([429, 503, 529]);

/** @param retryAfter seconds, for 429, 503 and 529 */
export function simulatedFailure(status: FailureStatus, retryAfter = 1): InferenceError {
  const { code, message } = FAILURES[status];
  return new InferenceError(code, message, {
    ...(code === 'unavailable' && { status }),
    ...(RETRIED.has(status) && { retryAfter }),
  });
}
