/** Answers plain `fetch` requests with a 503 at once if no host can answer them. Otherwise they would hang. @module */
import {
  PROTOCOL_VERSION,
  type GatewayHandshake,
  type RequestPayload,
  type ResponseItem,
  type TabHandshake,
} from '../relay/protocol.js';
import type { ConnectMessage } from '../relay/protocol.js';
import { answerCall } from '../relay/stream/answer-call.js';
import { REQUEST_TIMING } from '../relay/stream/call-timing.js';

/** What is refused, and why. Its members are of modules that the page has: imported here, they would be split from it. */
export interface Refusal {
  prefix: string;
  /** Of the service that was stopped: a Service Worker that had no answer at once asks for its hosts only. */
  group: string | undefined;
  /** Where tabs queue to host; undefined where there is no such thing. */
  locks: LockManager | undefined;
  /** How the names of these locks begin. */
  hostLocks: string;
  /** A 503 in the request's dialect. */
  response: (payload: RequestPayload) => Response;
  /** Inference was stopped; else it runs without the Service Worker, and an old one is there. */
  isStopped: boolean;
  /** Whether it still holds: the page may have started inference again. */
  holds: () => boolean;
}

/** One line of ASCII, for the header `x-error-message` and the console. */
const STOPPED =
  'Inference was stopped on this page and is not running in any other tab. Call `startInference` again before you use `fetch` or `inference.fetch`.';
const OLD_WORKER =
  'This page uses `serviceWorker: false`, but a Service Worker from an earlier visit is still registered. Use `inference.fetch`, or remove the old one with `uninstallInference()`.';

/** Answers the Service Worker's question for a host with a refusal where no tab of this origin hosts. */
export function refuseRequests(container: ServiceWorkerContainer, refusal: Refusal): void {
  const { prefix, group, holds } = refusal;
  let isTold = false;
  const listener = async ({ data, ports: [port] }: MessageEvent<ConnectMessage | undefined>): Promise<void> => {
    if (!holds()) return container.removeEventListener('message', listen);
    if (data?.inpage !== 'connect' || !port || data.prefix !== prefix) return;
    if (data.group !== undefined && data.group !== group) return;
    const hello: TabHandshake = { type: 'tab', group: group ?? `${prefix}:none`, hosts: false };
    // Another tab of this page may host, or be about to.
    if (await anyHost(refusal)) return;
    port.postMessage(hello);
    if (!isTold) console.warn(`inpage: ${explainRefusal(refusal)}`);
    isTold = true;
    // Without a lifeline the Service Worker keeps no connection, and asks again for the next request.
    const taken: GatewayHandshake = { type: 'hello', version: PROTOCOL_VERSION };
    port.postMessage(taken);
    await answerCall<RequestPayload, ResponseItem>(port, (payload) => refuse(payload, refusal), REQUEST_TIMING);
  };
  const listen = (event: MessageEvent<ConnectMessage | undefined>): void => void listener(event).catch(() => {});
  container.addEventListener('message', listen);
  container.startMessages();
}

function explainRefusal({ isStopped }: Refusal): string {
  return isStopped ? STOPPED : OLD_WORKER;
}

async function anyHost({ locks, hostLocks }: Refusal): Promise<boolean> {
  const { held = [], pending = [] } = (await locks?.query()) ?? {};
  return [...held, ...pending].some(({ name }) => name?.startsWith(hostLocks));
}

async function* refuse(payload: RequestPayload, refusal: Refusal): AsyncGenerator<ResponseItem[]> {
  const response = refusal.response(payload);
  const { status, headers } = response;
  headers.delete('retry-after');
  headers.set('x-error-code', 'unavailable');
  headers.set('x-error-message', explainRefusal(refusal));
  headers.set('x-should-retry', 'false');
  const bytes = new Uint8Array(await response.arrayBuffer());
  yield [{ status, headers: [...headers], streams: false, failureTail: undefined }, { bytes }];
}
