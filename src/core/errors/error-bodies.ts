/**
 * The bodies of errors, a function a shape. The gateway writes all of them; the relay writes that of a 503 where no
 * gateway is left to do it. The Service Worker has room for few bytes and holds only what it calls.
 * @module
 */

/** What every shape is made from. */
export interface ErrorFacts {
  type: ErrorType;
  /** null where the type says it all. */
  code: string | null;
  /** For the caller: no stack, no path. */
  message: string;
  /** Dotted path of the request's field that is wrong. */
  param: string | null;
}

/** `error.type` of the general shape. */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'timeout_error'
  | 'overloaded_error'
  | 'internal_error';

/**
 * The shapes of errors; below, a function writes each that is JSON.
 * - `general`: `{error: {message, type, code, param}, request_id}`
 * - `model-output`: general plus `error.model_output`
 * - `simple`, `told`: `{error}`; `told` whatever the error is
 * - `flat`: `{error, error_code, error_param, error_type}`
 * - `messages`: `{type: 'error', error: {type, message, param?, code?}, request_id}`
 * - `messages-bare`: the same with `type` and `message` only
 * - `plain`: a sentence
 * - `html`: a page
 */
export type ErrorShape =
  | 'general'
  | 'model-output'
  | 'simple'
  | 'told'
  | 'flat'
  | 'messages'
  | 'messages-bare'
  | 'plain'
  | 'html';

type ErrorBody = Record<string, unknown>;

/** The plain text of a 503, part of the contract. It is the same for every cause, because a cause may name files. */
export const UNAVAILABLE = 'Service Temporarily Unavailable';

/** Where the messages dialect begins below the prefix. Its errors are {@link messagesBody}. */
export const MESSAGES_PATH = '/messages';

/** Where Ollama's operations begin below the prefix. Their errors are `{error}`, a 503 of the relay too. */
export const OLLAMA_PATH = '/api/';

/** The JSON of a 503 that the relay writes, without what {@link generalBody} and {@link messagesBody} would need. */
export function unavailableBody(isMessages: boolean, requestId: string): ErrorBody {
  const type = isMessages ? 'api_error' : 'internal_error';
  const error = { type, message: `${UNAVAILABLE}.`, code: 'unavailable', param: null };
  return { ...(isMessages && { type: 'error' }), error, request_id: requestId };
}

/** `{error: {message, type, code, param}, request_id}` */
export function generalBody({ message, type, code, param }: ErrorFacts, requestId: string): ErrorBody {
  return { error: { message, type, code, param }, request_id: requestId };
}

/** The general shape with the raw text of a model whose output is not what was asked for. */
export function modelOutputBody(
  { message, type, code, param }: ErrorFacts,
  requestId: string,
  output: string,
): ErrorBody {
  return { error: { message, type, code, param, model_output: output }, request_id: requestId };
}

/** `{error}` */
export function simpleBody({ message }: ErrorFacts): ErrorBody {
  return { error: message };
}

/** `{error, error_code, error_param, error_type}` */
export function flatBody({ message, type, code, param }: ErrorFacts): ErrorBody {
  return { error: message, error_code: code, error_param: param, error_type: type };
}

/** `{type: 'error', error: {type, message, param?, code?}, request_id}`: absent, not null, as the dialect's clients know it. */
export function messagesBody({ message, type, code, param }: ErrorFacts, requestId: string): ErrorBody {
  const error = {
    type: messagesType(type),
    message,
    ...(param !== null && { param }),
    ...(code !== null && { code }),
  };
  return { type: 'error', error, request_id: requestId };
}

/** The messages shape with `type` and `message` only. */
export function bareMessagesBody({ message, type }: ErrorFacts, requestId: string): ErrorBody {
  return { type: 'error', error: { type: messagesType(type), message }, request_id: requestId };
}

/** The messages dialect has fewer types: one for all faults of the service. */
function messagesType(type: ErrorType): string {
  return type === 'internal_error' || type === 'timeout_error' ? 'api_error' : type;
}
