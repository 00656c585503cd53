/** Requests and responses as plain data. @module */
import { MESSAGES_PATH, OLLAMA_PATH, UNAVAILABLE, unavailableBody } from '../../core/errors/error-bodies.js';
import type { CompatibilityName } from '../../core/models/inference-options.js';
import { createUuid } from '../../core/platform/create-uuid.js';
import { movesStreams } from '../../core/platform/moves-streams.js';
import type { RequestPayload, ResponseHead } from '../protocol.js';
import { StreamedResponse } from './streamed-response.js';

/** Statuses of answers whose responses have no body. */
const BODILESS = [204, 205, 304];

/**
 * Reads a request completely. Bodies are sent whole: they are prompts and recordings, and not every browser can move
 * streams between realms. Where this one can, bare sound goes as it comes: it may be spoken just now.
 * @param url what the gateway shall see, where it differs from the request's own
 * @param source what the body is read from: in Firefox requests have no streams, so whoever was given one passes it
 */
export async function toRequestPayload(
  request: Request,
  url: string = request.url,
  source: Request | Response = request,
): Promise<RequestPayload> {
  const stream = liveBody(request.headers, source);
  const body = stream ? undefined : await source.arrayBuffer().catch(() => 'broken' as const);
  return {
    url,
    intercepted: !request.url.startsWith(`${new URL(url).origin}/`),
    method: request.method,
    headers: [...request.headers],
    body: (body as ArrayBuffer | undefined)?.byteLength === 0 ? undefined : body,
    stream,
  };
}

function liveBody(headers: Headers, { body }: Request | Response): [ReadableStream<Uint8Array>] | undefined {
  return body && headers.get('content-type')?.includes('pcm') && movesStreams() ? [body] : undefined;
}

/** In whose manner a request is answered. @param asked by the app */
export function resolveCompatibility(
  asked: CompatibilityName | null | undefined,
  intercepted?: boolean,
): CompatibilityName {
  return asked ?? (intercepted ? 'hosted' : 'service');
}

/** Everything of a response but its body. */
export function toResponseHead(response: Response): ResponseHead {
  const streamed = response instanceof StreamedResponse ? response : undefined;
  const { status, headers } = response;
  return { status, headers: [...headers], streams: streamed !== undefined, failureTail: streamed?.failureTail };
}

/** The response that a head and a body make. The body is ignored where the method or status forbids one. */
export function fromResponseHead(head: ResponseHead, { method }: RequestPayload, body: () => BodyInit): Response {
  if (head.status === 0) return Response.error();
  return new Response(method === 'HEAD' || BODILESS.includes(head.status) ? null : body(), head);
}

/**
 * What a caller gets when no engine can answer. The sentence is part of the service's contract.
 * @param compatibility `hosted`: the error object of the request's dialect instead of the sentence alone
 * @param url of the request
 * @param prefix of the service
 */
export function unavailableResponse(compatibility: CompatibilityName, url: string, prefix: string): Response {
  const id = createUuid();
  const isMessages = url.includes(MESSAGES_PATH);
  const headers = { ...(isMessages && { 'request-id': id }), 'retry-after': '1', 'x-request-id': id };
  const init = { status: 503, headers };
  const body = url.includes(prefix + OLLAMA_PATH)
    ? { error: UNAVAILABLE }
    : compatibility === 'hosted' && unavailableBody(isMessages, id);
  // Both say themselves what they are: JSON, or plain text in UTF-8.
  return body ? Response.json(body, init) : new Response(UNAVAILABLE, init);
}
