/**
 * The one error type of the library. Everything that can go wrong for a caller is one of these codes; `http/errors/`
 * alone decides which status and body a dialect has for it.
 * @module
 */

/**
 * The closed set of reasons a request can fail for. A caller does something different about each of them.
 * - `invalid_request`, `invalid_json`, `missing_required_field`: the body is wrong; `param` names the field
 * - `invalid_media`: an image or audio part that cannot be decoded
 * - `unsupported_content`: the model cannot take this kind of part
 * - `context_length_exceeded`: the prompt is longer than the model's context
 * - `model_not_found`, `model_not_in_plan`, `model_removed`, `model_not_supported`: the model cannot be used (for this)
 * - `unsupported_tool_type`: a tool other than a function
 * - `tool_choice_unsatisfied`: a forced tool choice that the model did not follow
 * - `model_output_invalid`: structured output or a tool call that was cut; `modelOutput` holds the raw text
 * - `unauthenticated`, `rate_limit_exceeded`: the service around the models
 * - `permission_denied`: a content script of an extension, or a web page, which may not do this
 * - `not_found`, `method_not_allowed`, `payload_too_large`, `malformed_multipart`: the HTTP request itself
 * - `storage_full`: there is no room for a file
 * - `previous_response_not_found`: the response that a new one is to follow is not kept
 * - `refusal`: a decision that the model refuses, where the dialect has no answer for it
 * - `timeout`: no first token or no result in time
 * - `unavailable`: no engine can serve now (worker died, device lost, tab closed)
 * - `cancelled`: the caller went away
 * - `insufficient_resources`: the device cannot run this model (no WebGPU, missing feature, too little memory or storage)
 * - `internal`: a defect of ours
 */
export const INFERENCE_ERROR_CODES = [
  'invalid_request',
  'invalid_json',
  'missing_required_field',
  'invalid_media',
  'unsupported_content',
  'context_length_exceeded',
  'model_not_found',
  'model_not_in_plan',
  'model_removed',
  'model_not_supported',
  'unsupported_tool_type',
  'tool_choice_unsatisfied',
  'model_output_invalid',
  'unauthenticated',
  'rate_limit_exceeded',
  'permission_denied',
  'not_found',
  'method_not_allowed',
  'payload_too_large',
  'malformed_multipart',
  'storage_full',
  'previous_response_not_found',
  'refusal',
  'timeout',
  'unavailable',
  'cancelled',
  'insufficient_resources',
  'internal',
] as const;

/** The reason why a request failed: one of {@link INFERENCE_ERROR_CODES}. */
export type InferenceErrorCode = (typeof INFERENCE_ERROR_CODES)[number];

/** What an {@link InferenceError} carries besides its code and message. All of it is plain data, so it crosses realms. */
export interface InferenceErrorDetails {
  /** Dotted path of the offending request field, e.g. `messages.0.content`. */
  param?: string;
  /** Raw model text, for `model_output_invalid`. */
  modelOutput?: string;
  /** Tokens that the model can read, for `context_length_exceeded`. */
  contextLength?: number;
  /** Tokens of the prompt, as far as they were counted, for `context_length_exceeded`. */
  promptTokens?: number;
  /** HTTP status in place of the code's own: a simulated 502, 504 or 529, or 501 for what a dialect has and this service has not. */
  status?: number;
  /** Seconds until a retry can succeed, for `rate_limit_exceeded` and `unavailable`. */
  retryAfter?: number;
  /** Allowed methods, for `method_not_allowed`. */
  allow?: string[];
  /**
   * Why a model or a worker could not be loaded, or what a defect (`internal`) says of itself. For the page only: it may name files,
   * so no answer has it.
   */
  reason?: string;
  /** Catalog id of the model that could not be loaded or has failed. */
  model?: string;
  /** Trying again cannot help: something has to be changed first. */
  permanent?: boolean;
  /** The browser downloads its model only after a user gesture; until then the entry's fallback serves. */
  needsGesture?: boolean;
  /** A remote service could not be asked, or said that it cannot answer now: the entry's fallback can. */
  unreachable?: boolean;
  /** The file that was asked for when loading failed. For the page only. */
  url?: string;
  /** What the server answered for that file. For the page only. */
  httpStatus?: number;
  /** Response headers that must accompany the error (rate-limit headers). */
  headers?: Record<string, string>;
  /** Bytes of storage that a model lacks, for `insufficient_resources`. */
  neededBytes?: number;
  /** Bytes of storage that are free, for `insufficient_resources`. */
  freeBytes?: number;
  /** Models that are kept and could be removed to make room, the least recently used first. */
  removable?: RemovableModel[];
}

/** A kept model that `inference.remove` could remove. */
export interface RemovableModel {
  /** URL of its folder. */
  source: string;
  /** That its files take. */
  bytes: number;
  /** Unix milliseconds. */
  lastUsed: number;
}

/** An {@link InferenceError} as structured-clonable data, for message ports. */
export interface SerializedInferenceError extends InferenceErrorDetails {
  /** Of the error. */
  code: InferenceErrorCode;
  /** Of the error. */
  message: string;
}

const MARK = Symbol.for('inpage.InferenceError');

/**
 * Thrown by everything below `http/`, and by the page API. `message` is written for the caller: no stack, no path,
 * no user data beyond the field name.
 * @example
 * throw new InferenceError('model_not_found', 'The model `x` does not exist.', { param: 'model' });
 */
export class InferenceError extends Error {
  override readonly name = 'InferenceError';
  readonly code: InferenceErrorCode;
  readonly details: InferenceErrorDetails;

  constructor(
    code: InferenceErrorCode,
    message: string,
    details: InferenceErrorDetails = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
    Object.defineProperty(this, MARK, { value: true });
  }

  get param(): string | undefined {
    return this.details.param;
  }
}

/** The caller went away. */
export function cancelled(cause?: unknown): InferenceError {
  return new InferenceError('cancelled', 'The request was cancelled.', {}, { cause });
}

/** Throws {@link cancelled} when the signal has aborted, whatever its reason. */
export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled();
}

/** True for an InferenceError of any realm or bundle, where `instanceof` fails. Never throws. */
export function isInferenceError(value: unknown): value is InferenceError {
  return typeof value === 'object' && value !== null && MARK in value;
}

/** Plain data for a message port. The cause stays behind: it may hold paths or user text. */
export function serializeInferenceError({ code, message, details }: InferenceError): SerializedInferenceError {
  return { code, message, ...details };
}

/** Rebuilds an error that crossed a message port. */
export function deserializeInferenceError(data: SerializedInferenceError): InferenceError {
  const { code, message, ...details } = data;
  return new InferenceError(code, message, details, { cause: details.reason });
}

/**
 * Any thrown value as an InferenceError. Aborts become `cancelled`. Everything unknown becomes `internal` with a message
 * that reveals nothing; the original is its `cause`, for the console, and its message the reason.
 */
export function toInferenceError(thrown: unknown): InferenceError {
  if (isInferenceError(thrown)) return thrown;
  if (thrown instanceof Error && thrown.name === 'AbortError') {
    return cancelled(thrown);
  }
  return new InferenceError(
    'internal',
    'The server had an error while processing your request.',
    { reason: thrown instanceof Error ? thrown.message : String(thrown) },
    { cause: thrown },
  );
}
