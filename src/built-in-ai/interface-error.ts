/** Errors as the browser's interfaces have them: `DOMException`s by their names, `TypeError` and `RangeError`. @module */
import { isInferenceError } from '../core/errors/inference-error.js';

type QuotaExceeded = new (message: string, numbers: { requested: number; quota: number }) => Error;

/** What does not fit. Newer browsers have a class of its own for it. */
export function quotaExceeded(requested: number, quota: number): Error {
  const message = `The input has ${requested} tokens, of which ${quota} fit.`;
  const { QuotaExceededError: Own } = globalThis as { QuotaExceededError?: QuotaExceeded };
  if (typeof Own === 'function') return new Own(message, { requested, quota });
  const numbers = { requested: { value: requested }, quota: { value: quota } };
  return Object.defineProperties(new DOMException(message, 'QuotaExceededError'), numbers);
}

export function notSupported(message: string): DOMException {
  return new DOMException(message, 'NotSupportedError');
}

/** The answer does not conform to its constraint. */
export function notConforming(): DOMException {
  return new DOMException('The answer does not conform to `responseConstraint`.', 'SyntaxError');
}

/** What a body of an error says, in any of its shapes. */
interface ErrorBody {
  error?: string | { message?: string; code?: string | null; param?: string | null; model_output?: string };
  error_code?: string | null;
  error_param?: string | null;
}

/** Marks the error of a prompt that is too long, until it is known how long it is. */
export class TooLong extends Error {}

/** What went wrong in an answer of the service. */
export function answerError(status: number, body: unknown): Error {
  const { error, error_code, error_param } = (body ?? {}) as ErrorBody;
  const { code, param, message, model_output } =
    typeof error === 'object'
      ? error
      : { code: error_code, param: error_param, message: error, model_output: undefined };
  const text = message ?? `The model did not answer (${status}).`;
  if (model_output !== undefined || code === 'model_output_invalid') return notConforming();
  // Embeddings have no code of their own for it, but say how many tokens are too many.
  const isLongInput = param?.startsWith('input') === true && /\d tokens/.test(text);
  if (code === 'context_length_exceeded' || isLongInput) return new TooLong(text);
  if (code === 'invalid_media') return new DOMException(text, 'InvalidStateError');
  if (code === 'unsupported_content' || /^(response_format|tools|input_type|logprobs|top_logprobs)/.test(param ?? ''))
    return notSupported(text);
  return new DOMException(text, status === 401 || status === 422 ? 'NotAllowedError' : 'OperationError');
}

/** Why a model could not be loaded: a file that could not be had, or something else. */
export function loadError(thrown: unknown): Error {
  const { url, httpStatus } = isInferenceError(thrown) ? thrown.details : {};
  const name = url !== undefined || httpStatus !== undefined ? 'NetworkError' : 'OperationError';
  return new DOMException(thrown instanceof Error ? thrown.message : 'The model could not be loaded.', name);
}
