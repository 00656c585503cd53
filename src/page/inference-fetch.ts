/** `inference.fetch`: a fetch whose requests below the engine's bases never leave the page. @module */
import type { CompatibilityName } from '../core/models/inference-options.js';
import { rejectOnAbort } from '../core/platform/reject-on-abort.js';
import type { Connect } from '../relay/handshake.js';
import { matchBase, type Bases } from '../relay/match-base.js';
import { relayRequest, type ToBody } from '../relay/stream/relay-request.js';
import { toRequestPayload } from '../relay/stream/request-payload.js';
import { encodeForm } from './encode-form.js';

/** The bases that are answered, and in whose manner. */
export interface FetchSettings extends Bases {
  /** Undefined: it depends on whom a request was meant for. */
  compatibility?: CompatibilityName;
  /** In an extension: `origin` of the payload. */
  asker?: string;
  toBody?: ToBody | undefined;
}

/** Builds the function. Requests outside the bases go to `networkFetch`. */
export function createInferenceFetch(
  settings: FetchSettings,
  connect: Connect,
  networkFetch: typeof fetch,
): typeof fetch {
  return async (input, init) => {
    const target = matchBase(new URL(input instanceof Request ? input.url : input, pageURL()), settings);
    if (target === undefined) return networkFetch(input, init);
    const { request, source } = readable(input, init);
    const { signal } = request;
    // A body may be a stream that never ends.
    const payload = await Promise.race([toRequestPayload(request, target, source), rejectOnAbort(signal)]);
    const { compatibility, prefix, asker, toBody } = settings;
    const asked = asker === undefined ? payload : { ...payload, origin: asker };
    const response = await relayRequest(asked, connect, { signal, compatibility, prefix, toBody });
    return Object.defineProperty(response, 'url', { value: target });
  };
}

/** An empty body: a request with it gets no `content-type` of its own from the browser. */
const NO_BYTES = new Uint8Array();

/**
 * The request, and what its body can be read from in every browser: Firefox sends "[object ReadableStream]" for a stream,
 * and WebKit cannot read a request whose body is a form with a file.
 */
export function readable(
  input: RequestInfo | URL,
  init: RequestInit | undefined,
): { request: Request; source?: Request | Response } {
  const { body } = init ?? {};
  if (body instanceof ReadableStream)
    return { request: new Request(input, { ...init, body: NO_BYTES }), source: new Response(body) };
  if (body instanceof FormData) {
    const { type, bytes } = encodeForm(body);
    const request = new Request(input, { ...init, body: NO_BYTES });
    if (!request.headers.has('content-type')) request.headers.set('content-type', type);
    return { request, source: new Response(bytes) };
  }
  return { request: new Request(input, init) };
}

/** What relative URLs of requests are relative to. */
function pageURL(): string | undefined {
  return globalThis.document?.baseURI;
}
