/** Answers plain `fetch` requests with a 503 at once if no host can answer them. Otherwise they would hang. @module */
import {
  PROTOCOL_VERSION,
  type GatewayHandshake,
  type RequestPayload,
  type ResponseItem,
  type TabHandshake,
} from '../relay/protocol.js';
import type { ConnectMessage } from '../relay/protocol.js';
import type { LatestStart } from './diagnosis/latest-start.js';
import type { GatewayPort } from '../relay/handshake.js';
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
  /** The start that is refused for. It was stopped; else it runs without the Service Worker, and an old one is there. */
  latest: LatestStart;
  /** The page's last one: another may have begun since. */
  newest: () => LatestStart | undefined;
}

/** Without a lifeline the Service Worker keeps no connection, and asks again for the next request. */
const TAKEN: GatewayHandshake = { type: 'hello', version: PROTOCOL_VERSION };

/** One line of ASCII, for the header `x-error-message` and the console. */
const STOPPED =
  'Inference was stopped on this page and is not running in any other tab. Call `startInference` again before you use `fetch` or `inference.fetch`.';
const OLD_WORKER =
  'This page uses `serviceWorker: false`, but a Service Worker from an earlier visit is still registered. Use `inference.fetch`, or remove the old one with `uninstallInference()`.';

/**
 * Stands in for the gateway behind an `inference.fetch` that was stopped.
 * @param reason one line of ASCII
 */
export function refuseHere(refusal: Pick<Refusal, 'response'>, reason: string): GatewayPort {
  tell(refusal, reason);
  const { port1, port2 } = new MessageChannel();
  void refuseCalls(port1, refusal, reason);
  return { port: port2, hello: TAKEN };
}

/** Answers the Service Worker's question for a host with a refusal where no tab of this origin hosts. */
export function refuseRequests(container: ServiceWorkerContainer, refusal: Refusal): void {
  const { prefix, group, latest, newest } = refusal;
  const reason = latest.state === 'ended' ? STOPPED : OLD_WORKER;
  // One that failed has changed nothing.
  const holds = (): boolean => newest() === latest || newest()?.state === 'ended';
  stopListening();
  const listener = async ({ data, ports: [port] }: MessageEvent<ConnectMessage | undefined>): Promise<void> => {
    if (!holds()) return container.removeEventListener('message', listen);
    if (data?.inpage !== 'connect' || !port || data.prefix !== prefix) return;
    if (data.group !== undefined && data.group !== group) return;
    const hello: TabHandshake = { type: 'tab', group: group ?? `${prefix}:none`, hosts: false };
    // Another tab of this page may host, or be about to.
    if (await anyHost(refusal)) return;
    port.postMessage(hello);
    tell(refusal, reason);
    port.postMessage(TAKEN);
    await refuseCalls(port, refusal, reason);
  };
  const listen = (event: MessageEvent<ConnectMessage | undefined>): void => void listener(event).catch(() => {});
  container.addEventListener('message', listen);
  container.startMessages();
  stopListening = () => container.removeEventListener('message', listen);
}

/** Ends what was refused before: two answers to one request would be one too many. */
let stopListening = (): void => {};

const told = new WeakSet<object>();

/** Once for a page that asks again and again. */
function tell(refusal: object, reason: string): void {
  if (!told.has(refusal)) console.warn(`inpage: ${reason}`);
  told.add(refusal);
}

async function anyHost({ locks, hostLocks }: Refusal): Promise<boolean> {
  const { held = [], pending = [] } = (await locks?.query()) ?? {};
  return [...held, ...pending].some(({ name }) => name?.startsWith(hostLocks));
}

function refuseCalls(port: MessagePort, refusal: Pick<Refusal, 'response'>, reason: string): Promise<void> {
  const answer = (payload: RequestPayload) => refuse(payload, refusal, reason);
  return answerCall<RequestPayload, ResponseItem>(port, answer, REQUEST_TIMING);
}

async function* refuse(
  payload: RequestPayload,
  { response: respond }: Pick<Refusal, 'response'>,
  reason: string,
): AsyncGenerator<ResponseItem[]> {
  const response = respond(payload);
  const { status, headers } = response;
  headers.delete('retry-after');
  headers.set('x-error-code', 'unavailable');
  headers.set('x-error-message', reason);
  headers.set('x-should-retry', 'false');
  const bytes = new Uint8Array(await response.arrayBuffer());
  yield [{ status, headers: [...headers], streams: false, failureTail: undefined }, { bytes }];
}
