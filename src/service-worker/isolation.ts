/**
 * The Service Worker for apps whose host sends no COOP and COEP headers. It runs the relay and adds these headers to the
 * app's own pages, frames and workers, so that WASM gets several threads. A script of its own, because the relay has few
 * bytes and most apps need none of this.
 * @module
 */
import { trustedScriptURL } from '../core/errors/trusted-types.js';

/** The parts of `ServiceWorkerGlobalScope` in use; TypeScript's own types for it clash with those of pages. */
interface Scope {
  readonly location: Location;
  importScripts(url: string): void;
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
}
interface RequestEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

/**
 * `credentialless` lets pages keep images and scripts of other origins, which then come without cookies. Browsers without
 * it (Safari) ignore the header: one thread, and nothing breaks.
 */
const HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'credentialless',
};

/** What has a policy of its own; everything else follows that of its page. */
const OWNERS = new Set(['document', 'frame', 'iframe', 'worker', 'sharedworker']);

const scope = globalThis as unknown as Scope;
const { href } = scope.location;
const relay = new URL(new URL(href).searchParams.get('relay') ?? 'inpage-sw.js', href);
if (relay.origin !== scope.location.origin) throw new Error('The relay must be a script of this origin.');
// First: what the relay answers is not offered to anybody else.
scope.importScripts(trustedScriptURL(relay));
scope.addEventListener('fetch', (event) => {
  if (OWNERS.has(event.request.destination)) event.respondWith(fetchIsolated(event.request));
});

async function fetchIsolated(request: Request): Promise<Response> {
  const response = await fetch(request);
  // A redirect, which the browser follows itself.
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(HEADERS)) if (!headers.has(name)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
