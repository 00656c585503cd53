/** `inference.fetch`: a fetch whose requests below the engine's bases never leave the page. @module */
import type { CompatibilityName } from '../core/models/inference-options.js';
import { rejectOnAbort } from '../core/platform/reject-on-abort.js';
import type { Connect } from '../relay/handshake.js';
import { matchBase, type Bases } from '../relay/match-base.js';
import { relayRequest } from '../relay/stream/relay-request.js';
import { toRequestPayload } from '../relay/stream/request-payload.js';

/** The bases that are answered, and in whose manner. */
export interface FetchSettings extends Bases {
  /** Absent: it depends on whom a request was meant for. */
  compatibility?: CompatibilityName;
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
    const request = new Request(input, withDuplex(init));
    const { signal } = request;
    // A body may be a stream that never ends.
    const payload = await Promise.race([toRequestPayload(request, target), rejectOnAbort(signal)]);
    const response = await relayRequest(payload, connect, { signal, compatibility: settings.compatibility });
    return Object.defineProperty(response, 'url', { value: target });
  };
}

/** A stream as body is only accepted with this member, which TypeScript's `RequestInit` does not know. */
function withDuplex(init: RequestInit | undefined): RequestInit | undefined {
  return init?.body instanceof ReadableStream ? ({ duplex: 'half', ...init } as RequestInit) : init;
}

/** What relative URLs of requests are relative to. */
function pageURL(): string | undefined {
  return globalThis.document?.baseURI;
}
