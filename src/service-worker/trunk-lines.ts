/**
 * A Service Worker's short cut to the gateway: a port that stays open, so that a request need not pass the main thread
 * of the hosting page. Only a short cut: whatever is remembered here may be lost at any time, and then the host is
 * looked for again.
 * @module
 */
import { type Connect, connectThrough, type GatewayPort, hangUp } from '../relay/greeting.js';
import { watchLifeline } from '../relay/lifeline.js';
import type { CallerMessage } from '../relay/protocol.js';

/** Milliseconds that a gateway gets to answer through the short cut before the long way is tried. */
const PATIENCE = 300;

const EXTENSION: CallerMessage<never> = { type: 'call' };

interface Trunk {
  port: MessagePort;
  /** Aborts when the line is given up. */
  over: AbortController;
}

/** Gateways by the tab that asks: tabs may belong to different engines. */
export class TrunkLines {
  readonly #trunks = new Map<string, Trunk>();

  /**
   * A port to the gateway of this tab.
   * @param find the long way: looks for the tab that hosts
   */
  async connect(tab: string, find: Connect, signal: AbortSignal): Promise<GatewayPort> {
    const trunk = this.#trunks.get(tab);
    if (trunk) {
      try {
        const stop = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
        return await connectThrough((port) => trunk.port.postMessage(EXTENSION, [port]), stop);
      } catch {
        signal.throwIfAborted();
        this.#drop(tab, trunk);
      }
    }
    const gateway = await find(signal);
    this.#lay(tab, gateway);
    return gateway;
  }

  /** The tab starts anew and may belong to another engine now. */
  forget(tab: string): void {
    const trunk = this.#trunks.get(tab);
    if (trunk) this.#drop(tab, trunk);
  }

  /** Branches off from a line that is about to be used for a call. */
  #lay(tab: string, { port, hello }: GatewayPort): void {
    // Without a lifeline nobody would say when the line is dead.
    if (hello.lifeline === undefined || this.#trunks.has(tab)) return;
    const { port1, port2 } = new MessageChannel();
    port.postMessage(EXTENSION, [port2]);
    const trunk: Trunk = { port: port1, over: new AbortController() };
    this.#trunks.set(tab, trunk);
    watchLifeline(hello.lifeline, () => this.#drop(tab, trunk), trunk.over.signal);
  }

  #drop(tab: string, trunk: Trunk): void {
    if (this.#trunks.get(tab) === trunk) this.#trunks.delete(tab);
    if (trunk.over.signal.aborted) return;
    trunk.over.abort();
    hangUp(trunk.port);
  }
}
