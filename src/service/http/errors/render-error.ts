/** Turns an InferenceError into the endpoint's answer. @module */
import * as bodies from '../../../core/errors/error-bodies.js';
import type { InferenceError } from '../../../core/errors/inference-error.js';
import type { Compatibility } from '../policy/compatibility.js';
import {
  answerErrorShape,
  ERROR_ROWS,
  errorFacts,
  errorStatus,
  isOverloaded,
  streamErrorShape,
} from './error-table.js';
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
  const shape = isOverloaded(error)
    ? streamErrorShape(endpoint, error.code)
    : answerErrorShape(endpoint, error.code, compatibility);
  const headers = new Headers(error.details.headers);
  const { retryAfter, allow } = error.details;
  if (retryAfter !== undefined) headers.set('retry-after', String(Math.max(1, Math.ceil(retryAfter))));
  setModelHeaders(headers, error);
  if (allow !== undefined) headers.set('allow', allow.join(', '));
  headers.set('content-type', CONTENT_TYPES[shape] ?? 'application/json');
  const status = errorStatus(error, endpoint, compatibility);
  return new Response(bodyText(error, shape, endpoint, requestId), { status, headers });
}

/** Statuses of a model's file that stay what they are until something is changed. */
const PERMANENT_STATUSES = new Set([401, 403, 404, 410]);

/** Seconds after which a client may try a failed model again, where nothing else is known. */
const RETRY_AFTER = 5;

/** What a client learns of a model that cannot be loaded or has failed, where the body says only that it is not there. */
function setModelHeaders(headers: Headers, { code, message, details }: InferenceError): void {
  const { model, httpStatus = 0, neededBytes, permanent } = details;
  if (model === undefined || ERROR_ROWS[code].status !== 503) return;
  headers.set('x-error-code', code);
  headers.set('x-error-model', headerText(model));
  headers.set('x-error-message', headerText(message));
  // Room can be made; a device without WebGPU stays one.
  const isShortOfRoom = neededBytes !== undefined;
  const lacks = code === 'insufficient_resources' && !isShortOfRoom;
  if (permanent || lacks || PERMANENT_STATUSES.has(httpStatus)) {
    headers.set('x-should-retry', 'false');
    headers.delete('retry-after');
  } else if (!headers.has('retry-after')) headers.set('retry-after', String(RETRY_AFTER));
}

/** Characters of a header; the rest is cut. */
const MAX_HEADER_LENGTH = 1000;

/** One line of visible ASCII. Everything else is percent-encoded, and so is the percent sign. */
export function headerText(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_HEADER_LENGTH);
  // A lone half of a surrogate pair has no encoding.
  const whole = line.replaceAll(/\p{Cs}/gu, '\u{FFFD}');
  return whole.replaceAll(/[^ -$&-~]/gu, encodeURIComponent);
}

/** The JSON object that stands for an error inside an event stream of this endpoint. */
export function errorObject(error: InferenceError, endpoint: EndpointName, requestId: string): Record<string, unknown> {
  return jsonBody(error, streamErrorShape(endpoint, error.code), errorFacts(error, endpoint), requestId);
}

const CONTENT_TYPES: Partial<Record<ErrorShape, string>> = {
  plain: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
};

const malformedFormPage = (reason: string): string =>
  '<!doctype html>\n<html lang="en"><head><title>400 Bad Request</title></head><body><h1>400 Bad Request</h1>' +
  `<p>${reason.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)}</p></body></html>\n`;

function bodyText(error: InferenceError, shape: ErrorShape, endpoint: EndpointName, requestId: string): string {
  if (shape === 'plain') {
    const hidesReason = error.code === 'unavailable' && error.details.status === undefined;
    return hidesReason ? bodies.UNAVAILABLE : error.message;
  }
  if (shape === 'html') return malformedFormPage(error.message);
  const facts = errorFacts(error, endpoint);
  // Where a 503 has a message at all, it says why: the headers do so, too.
  if (error.details.model !== undefined) facts.message = error.message;
  return JSON.stringify(jsonBody(error, shape, facts, requestId));
}

function jsonBody(
  error: InferenceError,
  shape: ErrorShape,
  facts: bodies.ErrorFacts,
  requestId: string,
): Record<string, unknown> {
  switch (shape) {
    case 'simple':
    case 'told':
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
