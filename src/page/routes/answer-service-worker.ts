/** The Service Worker's door to the routes of this page. @module */
import { availableLocks, requestLock } from '../../core/platform/web-locks.js';
import { ownLivenessLock } from '../../relay/liveness-lock.js';
import { matchRoute, routeLock } from '../../relay/match-route.js';
import {
  type GatewayHandshake,
  PROTOCOL_VERSION,
  type RequestPayload,
  type ResponseItem,
  type RouteMessage,
  type TabHandshake,
} from '../../relay/protocol.js';
import { answerCall } from '../../relay/stream/answer-call.js';
import { ROUTE_TIMING } from '../../relay/stream/call-timing.js';
import { type PageRoutes, runRoute } from './run-route.js';

/** The routes that this page answered for last, of all copies of the library. */
const LATEST = Symbol.for('inpage.routes');
const page = globalThis as { [LATEST]?: PageRoutes };

/** Answers the Service Worker, also after `stop()`: it learns at once that this page has the route no more. */
export function answerServiceWorker(container: ServiceWorkerContainer, routes: PageRoutes): void {
  page[LATEST] = routes;
  const listener = async ({ data, ports: [port] }: MessageEvent<RouteMessage | undefined>): Promise<void> => {
    if (page[LATEST] !== routes) return container.removeEventListener('message', listen);
    if (data?.inpage !== 'route' || !port) return;
    if (routes.stopped.aborted || !Object.hasOwn(routes.handlers, data.key)) {
      const none: TabHandshake = { type: 'tab', group: '', hosts: false };
      return port.postMessage(none);
    }
    const hello: GatewayHandshake = { type: 'hello', version: PROTOCOL_VERSION, lifeline: await ownLivenessLock() };
    port.postMessage(hello);
    await answerCall<RequestPayload, ResponseItem>(
      port,
      (payload, signal) => answer(routes, payload, signal),
      ROUTE_TIMING,
    );
  };
  const listen = (event: MessageEvent<RouteMessage | undefined>): void => void listener(event).catch(() => {});
  container.addEventListener('message', listen);
  container.startMessages();
}

/**
 * Tells the Service Worker, which may be restarted at any time and may find this page busy, that its own requests are
 * answered here: by a lock until `stop()`. Resolves when it is held, and where there are no locks.
 * @param client what the Service Worker calls this page
 */
export async function holdRouteLock(client: string, stopped: AbortSignal): Promise<void> {
  const locks = availableLocks();
  if (!locks) return;
  const released = new Promise<void>((resolve) => stopped.addEventListener('abort', () => resolve(), { once: true }));
  await new Promise<void>((resolve) => {
    const held = (): Promise<void> => {
      resolve();
      return released;
    };
    requestLock(locks, routeLock(client), {}, held).catch(() => resolve());
  });
}

async function* answer(
  routes: PageRoutes,
  payload: RequestPayload,
  signal: AbortSignal,
): AsyncGenerator<readonly ResponseItem[]> {
  const request = createRequest(payload, signal);
  const match = matchRoute(Object.keys(routes.handlers), request, location.origin);
  const response = match ? await runRoute(routes, request, match) : Response.error();
  const { status, statusText, headers, body } = response;
  yield [{ status, statusText, headers: [...headers], streams: body !== null, failureTail: undefined }];
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
      // A message copies the whole buffer of what it brings.
      const bytes = read.value.byteLength < read.value.buffer.byteLength ? read.value.slice() : read.value;
      yield [{ bytes }];
    }
  } finally {
    void reader?.cancel().catch(() => {});
  }
}

/** A Request with its own body: handlers clone it and pass it on. */
function createRequest({ url, method, headers, body, stream }: RequestPayload, signal: AbortSignal): Request {
  const broken = (): ReadableStream =>
    new ReadableStream({ pull: (controller) => controller.error(new TypeError('The upload broke off.')) });
  const given = stream?.[0] ?? (body === 'broken' ? broken() : (body ?? null));
  return new Request(url, { method, headers, signal, body: given, duplex: 'half' } as RequestInit);
}
