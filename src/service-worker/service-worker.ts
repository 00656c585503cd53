/**
 * The Service Worker: relay only. It answers the requests of its prefix and of the intercepted bases by asking the tab
 * that hosts the engine, and leaves everything else alone. Its settings are in its own URL and it remembers nothing that
 * it could not find again, so the browser may stop and start it at any time. Built as one classic script.
 * @module
 */
import { CONNECT_TIMEOUT_MS } from '../relay/stream/call-timing.js';
import type { CompatibilityName } from '../core/models/inference-options.js';
import { findHost, type TabClient } from './find-host.js';
import { findRoute, type RouteClient } from './find-route.js';
import type { Connect, GatewayPort } from '../relay/handshake.js';
import { ownLivenessLock } from '../relay/liveness-lock.js';
import { matchBase, type Bases } from '../relay/match-base.js';
import { addressOf, matchRoute, PAST_ROUTES } from '../relay/match-route.js';
import { PROTOCOL_VERSION, type BrokerMessage, type GatewayHandshake, type PageMessage } from '../relay/protocol.js';
import { relayRequest } from '../relay/stream/relay-request.js';
import { GatewayConnections } from './gateway-connections.js';
import { toRequestPayload } from '../relay/stream/request-payload.js';

/** The parts of `ServiceWorkerGlobalScope` in use; TypeScript's own types for it clash with those of pages. */
interface Scope {
  readonly location: Location;
  readonly clients: {
    claim(): Promise<void>;
    get(id: string): Promise<{ url: string } | undefined>;
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly (TabClient & RouteClient)[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: LifecycleEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
  addEventListener(type: 'message', listener: (event: PageEvent) => void): void;
}
interface LifecycleEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface RequestEvent extends LifecycleEvent {
  readonly request: Request;
  readonly clientId: string;
  respondWith(response: Response | Promise<Response>): void;
}
interface PageEvent extends LifecycleEvent {
  readonly data: PageMessage | undefined;
  readonly source: TabClient | null;
  readonly ports: readonly MessagePort[];
}

const scope = globalThis as unknown as Scope;
const settings = new URL(scope.location.href).searchParams;
const prefix = settings.get('prefix') ?? '/v1';
const compatibility = settings.get('compatibility') as CompatibilityName | null;
const bases: Bases = { origin: scope.location.origin, prefix, intercept: settings.getAll('intercept') };
const routes = settings.getAll('route');
const tabs = (): Promise<readonly (TabClient & RouteClient)[]> =>
  scope.clients.matchAll({ type: 'window', includeUncontrolled: true });

const connections = new GatewayConnections();
/** Groups by tab, as far as the tabs said so since the browser started this worker. */
const groups = new Map<string, string>();

/** The app wants its requests to go on without a host, and no tab has hosted since the browser started this worker. */
let unhosted = settings.has('unhosted');
/** Name of the empty cache that says that the app has left: this worker serves its open pages on, and may be restarted. */
const mark = `inpage-left:${scope.location.pathname}`;
/** The app has left: requests are the network's, until the last page of it is closed or one starts inference again. */
let left: boolean | undefined;
/** Whether it had left before this worker was restarted. */
const hadLeft = caches.has(mark).catch(() => false);

/** Milliseconds in which a host must be found where requests may go on to the network. */
const UNHOSTED_TIMEOUT_MS = 1_000;

/** Milliseconds between two looks whether the tab that reads an answer still exists. */
const CLIENT_CHECK_INTERVAL_MS = 5_000;

// Held early, so that the first request need not wait for it.
void ownLivenessLock();

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener('fetch', (event) => {
  if (left) return;
  const { request } = event;
  const route = mayBeRouted(request) ? matchRoute(routes, request, bases.origin)?.key : undefined;
  const url = route ? undefined : matchBase(new URL(request.url), bases);
  if (route || url) event.respondWith(isForm(request) ? Response.error() : answer(event, url, route));
});
scope.addEventListener('message', (event) => {
  // Pages say so again where Chromium has forgotten it: see `activatedWorker`.
  void scope.skipWaiting();
  const [port] = event.ports;
  if (event.data?.inpage === 'leave') {
    left = true;
    event.waitUntil(caches.open(mark));
  }
  if (!port) return;
  if (event.data?.inpage === 'claim') {
    unhosted = left = false;
    event.waitUntil(caches.delete(mark));
    if (event.source) {
      forget(event.source.id);
      groups.set(event.source.id, event.data.group);
    }
    event.waitUntil(claim(port, event.source?.id));
  }
  if (event.data?.inpage === 'broker') event.waitUntil(broker(event.data.group, port).catch(() => {})); // Whoever asked asks again.
});

/** A page of any other site can send a form here, and would spend what the app has. No app needs that. */
function isForm({ mode, method }: Request): boolean {
  return mode === 'navigate' && method === 'POST';
}

/** Whether a request may go on to the network. Never with a key in query or headers for another origin: the app meant it for this page. */
function mayLeave({ url, headers }: Request): boolean {
  const isOwn = url.startsWith(`${bases.origin}/`);
  return unhosted && (isOwn || !/[?,].*(auth|key|token)/i.test([url, ...headers.keys()].join()));
}

/** This script, and the relay that it imports where pages are isolated. */
const ownScripts = [scope.location.href, `${settings.get('relay')}`].map(addressOf);

/** Navigations and scripts are the server's, and so are the library's own files. */
function mayBeRouted({ mode, destination, url }: Request): boolean {
  const isOwn = url.endsWith(PAST_ROUTES) || ownScripts.includes(addressOf(url));
  return mode !== 'navigate' && !/script|worker/.test(destination) && !isOwn;
}

/** The library's own workers fetch its files and those of models. */
const OWN_WORKERS = /(gateway|model|media|gguf)-worker/;

/** @param route key of the app's own route: its handler acts, so it gets a request once */
async function answer({ request, clientId }: RequestEvent, url?: string, route?: string): Promise<Response> {
  const had = await hadLeft;
  if ((left ??= had) || (route && OWN_WORKERS.test(`${(await scope.clients.get(clientId))?.url}`)))
    return fetch(request);
  // One controller of our own: whatever listens to the request's signal keeps the request forever.
  const reader = new AbortController();
  const { signal } = reader;
  const leave = (): void => reader.abort();
  request.signal.addEventListener('abort', leave);
  // Not every browser tells a Service Worker when the page cancels, so a look at the tab is the last resort.
  const check = setInterval(() => {
    // A navigation's client is the page that it leaves.
    if (request.mode !== 'navigate' && clientId) void scope.clients.get(clientId).then((client) => client ?? leave());
  }, CLIENT_CHECK_INTERVAL_MS);
  const done = (): void => {
    clearInterval(check);
    request.signal.removeEventListener('abort', leave);
  };
  const copy = (route ? settings.has('unhosted') : mayLeave(request)) && request.clone();
  const payload = await toRequestPayload(request, url);
  let isFound = false;
  const find = async (stop: AbortSignal): Promise<GatewayPort> => {
    const late = copy && !isFound ? AbortSignal.any([stop, AbortSignal.timeout(UNHOSTED_TIMEOUT_MS)]) : stop;
    const host = await (route
      ? findRoute(tabs, { asker: clientId, key: route, late })
      : findHost({ tabs, prefix, asker: clientId, groups, signal: late }));
    isFound = true;
    unhosted &&= !!route;
    return host;
  };
  const connect: Connect = (stop, isFresh) => (route ? find(stop) : connections.connect(clientId, find, stop, isFresh));
  // It answers 503 itself when there is no gateway.
  const response = await relayRequest(payload, connect, {
    signal,
    onDone: done,
    compatibility,
    prefix,
    isRoute: !!route,
  });
  return copy && !isFound ? fetch(copy) : response;
}

async function claim(port: MessagePort, client: string | undefined): Promise<void> {
  await scope.clients.claim();
  const hello: GatewayHandshake = { type: 'hello', version: PROTOCOL_VERSION, client };
  port.postMessage(hello);
  const open = await tabs();
  for (const id of groups.keys()) if (!open.some((tab) => tab.id === id)) forget(id);
}

function forget(tab: string): void {
  connections.forget(tab);
  groups.delete(tab);
}

async function broker(group: string, port: MessagePort): Promise<void> {
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  const gateway = await findHost({ tabs, prefix, group, signal });
  const message: BrokerMessage = { type: 'connected', hello: gateway.hello };
  port.postMessage(message, [gateway.port]);
}
