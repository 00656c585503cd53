/**
 * The Service Worker's open ports to gateways. A request that goes through one of them need not pass the main thread of
 * the page that hosts the gateway. They only save time: the browser may stop this worker and with it lose them, and then
 * the host is looked for again.
 * @module
 */
import { type Connect, handOut, type GatewayPort, closeCallPort } from '../relay/handshake.js';
import { lendPort, type PortOwner } from '../relay/free-ports.js';
import { onPeerDeath } from '../relay/liveness-lock.js';
import type { CallerMessage } from '../relay/protocol.js';
import { pause } from './find-route.js';

/** Milliseconds that a gateway gets to answer on an open port before its host is looked for again. */
const CONNECT_TIMEOUT_MS = 300;

const NEW_CALL: CallerMessage<never> = { type: 'call' };

interface GatewayConnection extends PortOwner {
  port: MessagePort;
}

/** One connection per tab that sends requests: tabs may belong to different engines. */
export class GatewayConnections {
  readonly #connections = new Map<string, GatewayConnection>();

  /**
   * A port to the gateway of this tab.
   * @param find looks for the tab that hosts; used when there is no connection yet, or when it is silent
   * @param isFresh see {@link Connect}
   */
  async connect(tab: string, find: Connect, signal: AbortSignal, isFresh?: boolean): Promise<GatewayPort> {
    const connection = this.#connections.get(tab);
    if (connection) {
      const free = isFresh ? undefined : connection.free.pop();
      if (free) return free;
      const { port, hello } = handOut((given) => connection.port.postMessage(NEW_CALL, [given]));
      const said = await Promise.race([hello, pause(CONNECT_TIMEOUT_MS)]);
      if (said && !signal.aborted) return lendPort({ port, hello: said }, connection);
      closeCallPort(port);
      signal.throwIfAborted();
      this.forget(tab, connection);
    }
    const gateway = await find(signal);
    const { port, hello } = gateway;
    // Without a lifeline no one would say when the gateway is dead.
    if (!hello.lifeline || this.#connections.has(tab)) return gateway;
    // Laid through a port that is about to be used for a call.
    const { port1, port2 } = new MessageChannel();
    port.postMessage(NEW_CALL, [port2]);
    const made: GatewayConnection = { port: port1, free: [], closed: new AbortController() };
    this.#connections.set(tab, made);
    onPeerDeath(hello.lifeline, () => this.forget(tab, made), made.closed.signal);
    return lendPort(gateway, made);
  }

  /**
   * The tab starts again and may belong to another engine now.
   * @param connection the one that is meant, where it may have been replaced
   */
  forget(tab: string, connection = this.#connections.get(tab)): void {
    if (!connection || connection !== this.#connections.get(tab)) return;
    this.#connections.delete(tab);
    connection.closed.abort();
    for (const { port } of [connection, ...connection.free]) closeCallPort(port);
  }
}
