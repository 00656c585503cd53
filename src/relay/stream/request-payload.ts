/** Requests and responses as plain data. @module */
import { MESSAGES_PATH, OLLAMA_PATH, UNAVAILABLE, unavailableBody } from '../../core/errors/error-bodies.js';
import type { CompatibilityName } from '../../core/models/inference-options.js';
import { createUuid } from '../../core/platform/create-uuid.js';
import { movesStreams } from '../../core/platform/moves-streams.js';
import type { RequestPayload, ResponseHead } from '../protocol.js';

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

/** The Request that a payload describes. */
export function fromRequestPayload(payload: RequestPayload, signal: AbortSignal): Request {
  const { url, method, headers, body, stream } = payload;
  // The reader notices the error, and answers with its dialect's error.
  const broken = (): ReadableStream =>
    new ReadableStream({ pull: (controller) => controller.error(new TypeError('The upload broke off.')) });
  const given = stream?.[0] ?? (body === 'broken' ? broken() : body);
  const request = new Request(url, { method, headers, signal });
  return given ? withBody(request, new Response(given, { headers })) : request;
}

/** Reads the body through a response: Firefox has streams as bodies of responses only, and no `body` of requests. */
function withBody(request: Request, source: Response): Request {
  const read = <Value>(value: Value): { value: Value } => ({ value });
  return Object.defineProperties(request, {
    body: { get: () => source.body },
    bodyUsed: { get: () => source.bodyUsed },
    arrayBuffer: read(() => source.arrayBuffer()),
    blob: read(() => source.blob()),
    formData: read(() => source.formData()),
    json: read(() => source.json()),
    text: read(() => source.text()),
  });
}

// By body: middleware that changes headers makes a new Response around the same stream.
const streamedBodies = new WeakMap<ReadableStream, { failureTail: string | undefined }>();

/**
 * Marks a response whose body is passed on piece by piece while it is made; all others are passed on whole. Returns the
 * response.
 * @param failureTail the text (whole server-sent events) that ends the body when the engine dies under it. The dialect
 *   defines the shape of such an event; the relay sends it, because the dialect's code is gone by then. Without one, the
 *   reader of the body gets an error.
 */
export function markStreamed(response: Response, failureTail?: string): Response {
  if (response.body) streamedBodies.set(response.body, { failureTail });
  return response;
}

/** Everything of a response but its body. */
export function toResponseHead({ status, headers, body }: Response): ResponseHead {
  const streamed = body ? streamedBodies.get(body) : undefined;
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
