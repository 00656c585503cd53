/**
 * The Service Worker's open ports to gateways. A request that goes through one of them need not pass the main thread of
 * the page that hosts the gateway. They only save time: the browser may stop this worker and with it lose them, and then
 * the host is looked for again.
 * @module
 */
import { type Connect, connectThrough, type GatewayPort, hangUp } from '../relay/handshake.js';
import { watchLifeline } from '../relay/lifeline.js';
import type { CallerMessage } from '../relay/protocol.js';

/** Milliseconds that a gateway gets to answer on an open port before its host is looked for again. */
const PATIENCE = 300;

const NEW_CALL: CallerMessage<never> = { type: 'call' };

interface Connection {
  port: MessagePort;
  /** Aborts when the connection is closed. */
  over: AbortController;
}

/** One connection per tab that sends requests: tabs may belong to different engines. */
export class GatewayConnections {
  readonly #connections = new Map<string, Connection>();

  /**
   * A port to the gateway of this tab.
   * @param find looks for the tab that hosts; used when there is no connection yet, or when it is silent
   */
  async connect(tab: string, find: Connect, signal: AbortSignal): Promise<GatewayPort> {
    const connection = this.#connections.get(tab);
    if (connection) {
      try {
        const stop = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
        return await connectThrough((port) => connection.port.postMessage(NEW_CALL, [port]), stop);
      } catch {
        signal.throwIfAborted();
        this.#close(tab, connection);
      }
    }
    const gateway = await find(signal);
    this.#keep(tab, gateway);
    return gateway;
  }

  /** The tab starts anew and may belong to another engine now. */
  forget(tab: string): void {
    const connection = this.#connections.get(tab);
    if (connection) this.#close(tab, connection);
  }

  /** Opens a connection through a port that is about to be used for a call. */
  #keep(tab: string, { port, hello }: GatewayPort): void {
    // Without a lifeline nobody would say when the gateway is dead.
    if (hello.lifeline === undefined || this.#connections.has(tab)) return;
    const { port1, port2 } = new MessageChannel();
    port.postMessage(NEW_CALL, [port2]);
    const connection: Connection = { port: port1, over: new AbortController() };
    this.#connections.set(tab, connection);
    watchLifeline(hello.lifeline, () => this.#close(tab, connection), connection.over.signal);
  }

  #close(tab: string, connection: Connection): void {
    if (this.#connections.get(tab) === connection) this.#connections.delete(tab);
    if (connection.over.signal.aborted) return;
    connection.over.abort();
    hangUp(connection.port);
  }
}
