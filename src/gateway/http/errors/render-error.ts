/** InferenceError in, the answer that the endpoint owes out. @module */
import type { InferenceError } from '../../../core/errors/inference-error.js';
import type { Compatibility } from '../compatibility.js';
import { answerErrorShape, ERROR_ROWS, errorCode, messagesErrorType, streamErrorShape } from './error-shapes.js';
import type { ErrorShape } from './error-shape.js';
import type { EndpointName } from './error-shapes.js';

const UNAVAILABLE_SENTENCE = 'Service Temporarily Unavailable';

/**
 * The answer to a request that failed before anything was sent: status, headers and body.
 * @param requestId uuid that goes into `request_id`, where the shape has one
 */
export function renderError(
  error: InferenceError,
  endpoint: EndpointName,
  requestId: string,
  compatibility: Compatibility,
): Response {
  const shape = answerErrorShape(endpoint, error.code, compatibility);
  const headers = new Headers(error.details.headers);
  const { retryAfter, allow } = error.details;
  if (retryAfter !== undefined) headers.set('retry-after', String(Math.max(1, Math.ceil(retryAfter))));
  if (allow !== undefined) headers.set('allow', allow.join(', '));
  headers.set('content-type', contentType(shape));
  return new Response(bodyText(error, shape, endpoint, requestId), { status: ERROR_ROWS[error.code].status, headers });
}

/** The JSON object that stands for an error inside an event stream of this endpoint. */
export function errorObject(error: InferenceError, endpoint: EndpointName, requestId: string): Record<string, unknown> {
  return jsonBody(error, streamErrorShape(endpoint, error.code), endpoint, requestId);
}

/** What a client may read of an error: that of an engine that is not there may name files, and is for the page. */
export function messageForClients(error: InferenceError): string {
  return error.code === 'unavailable' ? `${UNAVAILABLE_SENTENCE}.` : error.message;
}

function contentType(shape: ErrorShape): string {
  if (shape === 'plain') return 'text/plain; charset=utf-8';
  if (shape === 'html') return 'text/html; charset=utf-8';
  return 'application/json';
}

function bodyText(error: InferenceError, shape: ErrorShape, endpoint: EndpointName, requestId: string): string {
  if (shape === 'plain') return error.code === 'unavailable' ? UNAVAILABLE_SENTENCE : error.message;
  if (shape === 'html') {
    return '<!doctype html>\n<html lang="en"><head><title>400 Bad Request</title></head><body><h1>400 Bad Request</h1><p>The multipart body could not be read.</p></body></html>\n';
  }
  return JSON.stringify(jsonBody(error, shape, endpoint, requestId));
}

function jsonBody(
  error: InferenceError,
  shape: ErrorShape,
  endpoint: EndpointName,
  requestId: string,
): Record<string, unknown> {
  const message = messageForClients(error);
  const { type } = ERROR_ROWS[error.code];
  const code = errorCode(endpoint, error.code);
  const param = error.param ?? null;
  switch (shape) {
    case 'simple':
      return { error: message };
    case 'flat':
      return { error: message, error_code: code, error_param: param, error_type: type };
    case 'messages': {
      const details = {
        type: messagesErrorType(error.code),
        message,
        ...(param !== null && { param }),
        ...(code !== null && { code }),
      };
      return { type: 'error', error: details, request_id: requestId };
    }
    case 'messages-bare':
      return { type: 'error', error: { type: messagesErrorType(error.code), message }, request_id: requestId };
    case 'removed-response':
      return { error: { message, type: 'internal_error', code: 'internal_error', param: null }, request_id: requestId };
    case 'model-output':
      return {
        error: { message, type, code, param, model_output: error.details.modelOutput ?? '' },
        request_id: requestId,
      };
    default:
      return { error: { message, type, code, param }, request_id: requestId };
  }
}
