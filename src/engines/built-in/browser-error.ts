/** What the interface throws, as errors of this library. @module */
import { InferenceError, type InferenceErrorDetails, isInferenceError } from '../../core/errors/inference-error.js';

/** The browser has no model, or none that this page may use. */
export function noModel(why: string, cause?: unknown): InferenceError {
  return new InferenceError('insufficient_resources', why, {}, { cause });
}

/**
 * What `availability` or `create` threw while the model was loaded.
 * @returns `unavailable` with `needsGesture` where only the user can go on
 */
export function loadError(thrown: unknown): unknown {
  if (isInferenceError(thrown)) return thrown;
  switch (nameOf(thrown)) {
    case 'NotAllowedError':
      return new InferenceError(
        'unavailable',
        "The browser downloads its built-in model only after a user gesture (a click or key press), and only if the page's permissions policy allows it (for prompts: `language-model`).",
        { needsGesture: true },
        { cause: thrown },
      );
    case 'QuotaExceededError':
      return answerError(thrown);
    case 'NotSupportedError':
    case 'RangeError':
      return noModel("The browser's built-in model cannot be used for these languages or on this device.", thrown);
    case 'NetworkError':
      return noModel('The browser could not download its model.', thrown);
    default:
      // Whatever it is: a model that does not start answers nothing, and another one can.
      return noModel("The browser's built-in model did not start.", thrown);
  }
}

/**
 * What the interface threw while it answered.
 * @param constraintParam name of the field that a constraint came from; undefined: there was none
 * @param inputParam name of the field that the input came from
 */
export function answerError(thrown: unknown, constraintParam?: string, inputParam = 'messages'): unknown {
  if (isInferenceError(thrown)) return thrown;
  const refused = (message: string, param: string): InferenceError =>
    new InferenceError('invalid_request', message, { param }, { cause: thrown });
  switch (nameOf(thrown)) {
    case 'QuotaExceededError':
      return new InferenceError(
        'context_length_exceeded',
        `The ${inputParam === 'messages' ? 'prompt' : 'input'} is longer than the context window of the browser's built-in model.`,
        { param: inputParam, ...readQuota(thrown) },
        { cause: thrown },
      );
    case 'NotSupportedError':
      return constraintParam === undefined
        ? refused("The browser's built-in model does not support this input, or its language.", inputParam)
        : refused("The browser's built-in model does not support this schema.", constraintParam);
    case 'NotReadableError':
      return refused('The browser blocked the answer.', inputParam);
    case 'EncodingError':
      return new InferenceError(
        'unsupported_content',
        'The browser cannot decode an image or audio file in the prompt.',
        { param: inputParam },
        { cause: thrown },
      );
    case 'NotAllowedError':
      return unavailable('The browser does not allow the use of its built-in model now.', thrown);
    case 'OperationError':
    case 'UnknownError':
      return unavailable("The browser's built-in model failed.", thrown);
    default:
      return isDestroyed(thrown)
        ? unavailable(
            "The session with the browser's built-in model has ended, perhaps because the model was updated.",
            thrown,
          )
        : thrown;
  }
}

/** The browser ended the session, for example for an update of the model. Canceled requests are handled before. */
export function isDestroyed(thrown: unknown): boolean {
  const name = nameOf(thrown);
  return name === 'InvalidStateError' || name === 'AbortError';
}

/** The browser could not write an answer that conforms to the constraint. */
export function isUnsatisfied(thrown: unknown): boolean {
  return nameOf(thrown) === 'SyntaxError';
}

function unavailable(message: string, cause: unknown): InferenceError {
  return new InferenceError('unavailable', message, { retryAfter: 5 }, { cause });
}

function nameOf(thrown: unknown): string | undefined {
  return isInferenceError(thrown) || !(thrown instanceof Error) ? undefined : thrown.name;
}

/** The numbers that newer browsers give with a `QuotaExceededError`. */
function readQuota(thrown: unknown): Pick<InferenceErrorDetails, 'contextLength' | 'promptTokens'> {
  const { quota, requested } = thrown as { quota?: unknown; requested?: unknown };
  return {
    ...(typeof quota === 'number' && { contextLength: quota }),
    ...(typeof requested === 'number' && { promptTokens: requested }),
  };
}
