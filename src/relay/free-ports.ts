/** Ports to a gateway that are used again: a new one is moved through other threads, and a hello is awaited on it. @module */
import { closeCallPort, type GatewayPort } from './handshake.js';
import { USED_PORT_TIMEOUT_MS } from './stream/call-timing.js';

/** Ports that wait for calls. Those of more requests at once are closed. */
const MAX_FREE = 4;

/** Who places calls. */
export interface PortOwner {
  readonly free: GatewayPort[];
  /** Aborts when there are no more calls. */
  readonly closed: AbortController;
}

/**
 * The same, which comes to the owner's free ones when its call has ended: no hello is awaited on it again. To be used only
 * where the gateway has a lifeline: else no one would tell that it is dead.
 */
export function lendPort(gateway: GatewayPort, { free, closed }: PortOwner): GatewayPort {
  gateway.release = () => {
    gateway.firstBeat = USED_PORT_TIMEOUT_MS;
    if (closed.signal.aborted || free.length === MAX_FREE) closeCallPort(gateway.port);
    else free.push(gateway);
  };
  return gateway;
}

/** Closes them and takes them away. */
export function closeFreePorts(free: GatewayPort[]): void {
  for (const { port } of free.splice(0)) closeCallPort(port);
}
