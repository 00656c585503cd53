/** InferenceError in, the answer that the endpoint owes out. @module */
import * as bodies from '../../../core/errors/error-bodies.js';
import type { InferenceError } from '../../../core/errors/inference-error.js';
import type { Compatibility } from '../compatibility.js';
import { answerErrorShape, ERROR_ROWS, errorFacts, streamErrorShape } from './error-table.js';
import type { ErrorShape } from '../../../core/errors/error-bodies.js';
import type { EndpointName } from './error-table.js';

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
  headers.set('content-type', CONTENT_TYPES[shape] ?? 'application/json');
  return new Response(bodyText(error, shape, endpoint, requestId), { status: ERROR_ROWS[error.code].status, headers });
}

/** The JSON object that stands for an error inside an event stream of this endpoint. */
export function errorObject(error: InferenceError, endpoint: EndpointName, requestId: string): Record<string, unknown> {
  return jsonBody(error, streamErrorShape(endpoint, error.code), endpoint, requestId);
}

const CONTENT_TYPES: Partial<Record<ErrorShape, string>> = {
  plain: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
};

const MALFORMED_FORM_PAGE =
  '<!doctype html>\n<html lang="en"><head><title>400 Bad Request</title></head><body><h1>400 Bad Request</h1>' +
  '<p>The multipart body could not be read.</p></body></html>\n';

function bodyText(error: InferenceError, shape: ErrorShape, endpoint: EndpointName, requestId: string): string {
  if (shape === 'plain') return error.code === 'unavailable' ? bodies.UNAVAILABLE : error.message;
  if (shape === 'html') return MALFORMED_FORM_PAGE;
  return JSON.stringify(jsonBody(error, shape, endpoint, requestId));
}

function jsonBody(
  error: InferenceError,
  shape: ErrorShape,
  endpoint: EndpointName,
  requestId: string,
): Record<string, unknown> {
  const facts = errorFacts(error, endpoint);
  switch (shape) {
    case 'simple':
      return bodies.simpleBody(facts);
    case 'flat':
      return bodies.flatBody(facts);
    case 'messages':
      return bodies.messagesBody(facts, requestId);
    case 'messages-bare':
      return bodies.bareMessagesBody(facts, requestId);
    case 'model-output':
      return bodies.modelOutputBody(facts, requestId, error.details.modelOutput ?? '');
    default:
      return bodies.generalBody(facts, requestId);
  }
}
