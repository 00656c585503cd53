/**
 * The Service Worker's open ports to gateways. A request that goes through one of them need not pass the main thread of
 * the page that hosts the gateway. They only save time: the browser may stop this worker and with it lose them, and then
 * the host is looked for again.
 * @module
 */
import { type Connect, connectThrough, type GatewayPort, closeCallPort } from '../relay/handshake.js';
import { onPeerDeath } from '../relay/liveness-lock.js';
import type { CallerMessage } from '../relay/protocol.js';

/** Milliseconds that a gateway gets to answer on an open port before its host is looked for again. */
const CONNECT_TIMEOUT_MS = 300;

const NEW_CALL: CallerMessage<never> = { type: 'call' };

interface GatewayConnection {
  port: MessagePort;
  /** Aborts when the connection is closed. */
  closed: AbortController;
}

/** One connection per tab that sends requests: tabs may belong to different engines. */
export class GatewayConnections {
  readonly #connections = new Map<string, GatewayConnection>();

  /**
   * A port to the gateway of this tab.
   * @param find looks for the tab that hosts; used when there is no connection yet, or when it is silent
   */
  async connect(tab: string, find: Connect, signal: AbortSignal): Promise<GatewayPort> {
    const connection = this.#connections.get(tab);
    if (connection) {
      try {
        const stop = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
        return await connectThrough((port) => connection.port.postMessage(NEW_CALL, [port]), stop);
      } catch {
        signal.throwIfAborted();
        this.#close(tab, connection);
      }
    }
    const gateway = await find(signal);
    this.#store(tab, gateway);
    return gateway;
  }

  /** The tab starts again and may belong to another engine now. */
  forget(tab: string): void {
    const connection = this.#connections.get(tab);
    if (connection) this.#close(tab, connection);
  }

  /** Opens a connection through a port that is about to be used for a call. */
  #store(tab: string, { port, hello }: GatewayPort): void {
    // Without a lifeline no one would say when the gateway is dead.
    if (hello.lifeline === undefined || this.#connections.has(tab)) return;
    const { port1, port2 } = new MessageChannel();
    port.postMessage(NEW_CALL, [port2]);
    const connection: GatewayConnection = { port: port1, closed: new AbortController() };
    this.#connections.set(tab, connection);
    onPeerDeath(hello.lifeline, () => this.#close(tab, connection), connection.closed.signal);
  }

  #close(tab: string, connection: GatewayConnection): void {
    if (this.#connections.get(tab) === connection) this.#connections.delete(tab);
    if (connection.closed.signal.aborted) return;
    connection.closed.abort();
    closeCallPort(connection.port);
  }
}
