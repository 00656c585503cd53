/** Requests of other contexts, passed on to the gateway of this document. @module */
import { type Connect, type GatewayPort } from '../../relay/handshake.js';
import { onPeerDeath } from '../../relay/liveness-lock.js';
import type { CallerMessage, RequestPayload } from '../../relay/protocol.js';
import { CONNECT_TIMEOUT_MS } from '../../relay/stream/call-timing.js';
import type { HostHello } from '../host-protocol.js';
import { joinPorts } from '../join-ports.js';
import type { WirePort } from '../wire-port.js';

/** Joins a connection with the gateway, which answers the call that comes through it. */
export async function serveRequest(port: WirePort, connect: Connect, hello: HostHello): Promise<void> {
  const left = new AbortController();
  port.addEventListener('close', () => left.abort());
  let gateway: GatewayPort;
  try {
    gateway = await connect(AbortSignal.any([left.signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]), true);
  } catch {
    return port.close();
  }
  const ended = new AbortController();
  const end = joinPorts(port, gateway.port, { outward, onEnd: () => ended.abort() });
  onPeerDeath(gateway.hello.lifeline, end, ended.signal);
  port.postMessage(hello);
}

/** Calls of requests alone. Of these, what the gateway may know: locks of other origins are none here. */
function outward(message: CallerMessage<unknown>): CallerMessage<unknown> | undefined {
  if (message.type === 'credit' || message.type === 'cancel') return message;
  if (message.type !== 'open') return undefined;
  const { url, method, headers, body, checkpoints } = message.payload as RequestPayload;
  const payload: RequestPayload = { url, method, headers, body, checkpoints, origin: '' };
  return { type: 'open', payload, lifeline: undefined };
}
