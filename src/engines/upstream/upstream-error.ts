/** Turns errors of a remote service into InferenceErrors. @module */
import {
  InferenceError,
  type InferenceErrorCode,
  type InferenceErrorDetails,
} from '../../core/errors/inference-error.js';

/** Error codes with the same meaning at the service. */
const SHARED_CODES = new Set<InferenceErrorCode>([
  'context_length_exceeded',
  'model_not_supported',
  'unsupported_content',
  'invalid_media',
  'tool_choice_unsatisfied',
  'model_output_invalid',
]);

/** Maximum length of a message that is passed on. */
const MESSAGE_LENGTH = 500;

/** Messages of services without a code for prompts that are too long. */
const TOO_LONG = /context (length|size|window)|prompt is too long|(?:longer than|exceeds?) the model's context/i;

/** How services say how much they read, and how much was sent. */
const LIMITS = [/context (?:length|size|window)(?: is| of)? \(?(\d+)/i, /> (\d+) maximum/i];
const SENT = [/resulted in (\d+) tokens/i, /requested (\d+) tokens/i, /too long: (\d+) tokens/i];

/** Default seconds for `retry-after`. */
const RETRY_AFTER = 5;

/** A refused request as an InferenceError. Only errors about the request keep the service's message. */
export async function toUpstreamError(response: Response): Promise<InferenceError> {
  const reported = readError(await response.json().catch(() => undefined));
  return createError(response.status, reported, parseRetryAfter(response.headers.get('retry-after')));
}

/** An error event inside a stream. */
export function streamedError(event: unknown): InferenceError {
  const reported = readError(event);
  const isStatus = Number(reported.code) >= 400 && Number(reported.code) < 600;
  return createError(isStatus ? Number(reported.code) : 500, reported, undefined);
}

interface Said {
  message: string;
  code: string | undefined;
  /** The parameter and the message of an error body. */
  details: InferenceErrorDetails;
}

function createError(status: number, { message, code, details }: Said, retryAfter = RETRY_AFTER): InferenceError {
  const shared = [...SHARED_CODES].find((known) => known === code);
  if (shared === 'context_length_exceeded') return tooLong(message, details);
  if (shared) return new InferenceError(shared, message, details);
  switch (status) {
    case 400:
    case 422:
      return TOO_LONG.test(message)
        ? tooLong(message, details)
        : new InferenceError('invalid_request', message, details);
    case 404:
      if (code !== 'model_not_found') break;
      return new InferenceError('model_not_found', 'The upstream service does not know this model.', {
        param: 'model',
      });
    case 408:
    case 504:
      return new InferenceError('timeout', 'The upstream service took too long.');
    case 413:
      return new InferenceError('payload_too_large', 'The request is too large for the upstream service.');
    case 429:
      return new InferenceError('rate_limit_exceeded', 'The upstream service accepts no more requests now.', {
        retryAfter,
      });
  }
  // Wrong credentials are an error of the app, not of its client.
  return new InferenceError('unavailable', `The upstream service failed (${status}): ${message}`, { retryAfter });
}

/** With the numbers that the message has, for dialects that have other words for it. */
function tooLong(message: string, details: InferenceErrorDetails): InferenceError {
  const contextLength = details.contextLength ?? numberIn(message, LIMITS);
  const promptTokens = details.promptTokens ?? numberIn(message, SENT);
  return new InferenceError('context_length_exceeded', message, {
    ...details,
    ...(contextLength !== undefined && { contextLength }),
    ...(promptTokens !== undefined && { promptTokens }),
  });
}

function numberIn(message: string, patterns: readonly RegExp[]): number | undefined {
  const found = patterns.map((pattern) => pattern.exec(message)?.[1]).find((digits) => digits !== undefined);
  return found === undefined ? undefined : Number(found);
}

/**
 * Services say `{error: {message, code, param}}`, `{error: 'message'}` or `{message}`, some in an array, some of Python
 * `{detail}` or `{message: {detail}}`, or nothing that can be read; this one also `{error: 'message', error_code, error_param}`.
 */
function readError(body: unknown): Said {
  const outer = asObject(Array.isArray(body) ? body[0] : body);
  const inner =
    typeof outer['error'] === 'string'
      ? { message: outer['error'], code: outer['error_code'], param: outer['error_param'] }
      : asObject(outer['error'] ?? outer);
  const detail = readDetail(inner['detail'] ?? asObject(inner['message'])['detail']);
  const [message = ''] = (textOf(inner['message']) ?? detail.message ?? 'no reason was given').split('\n', 1);
  const param = textOf(inner['param']) ?? detail.param;
  const modelOutput = textOf(inner['model_output']);
  const code = inner['code'];
  // As llama.cpp says it.
  const { n_ctx: contextLength, n_prompt_tokens: promptTokens } = inner;
  return {
    message: message.slice(0, MESSAGE_LENGTH),
    code: typeof code === 'number' ? String(code) : textOf(code),
    details: {
      ...(param !== undefined && { param }),
      ...(modelOutput !== undefined && { modelOutput }),
      ...(typeof contextLength === 'number' && { contextLength }),
      ...(typeof promptTokens === 'number' && { promptTokens }),
    },
  };
}

/** A sentence, or a list of `{loc: ['body', 'field', 'inner'], msg}`. */
function readDetail(detail: unknown): { message?: string | undefined; param?: string | undefined } {
  if (!Array.isArray(detail)) return { message: textOf(detail) };
  const { loc, msg } = asObject(detail[0]);
  const path = Array.isArray(loc) ? loc.filter((part) => part !== 'body').join('.') : '';
  return { message: textOf(msg), param: textOf(path) };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** LiteLLM sends Python's `None` for an absent value. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value !== 'None' ? value : undefined;
}

/** `retry-after` may also be a date; then the default is used. */
function parseRetryAfter(header: string | null): number | undefined {
  const seconds = header === null ? NaN : Number(header);
  return seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
}
