/**
 * A Service Worker's short cut to the gateway: a port that stays open, so that a request need not pass the main thread
 * of the hosting page. Only a short cut: whatever is remembered here may be lost at any time, and then the host is
 * looked for again.
 * @module
 */
import { connectThrough } from './greeting.js';
import { watchLifeline } from './lifeline.js';
import type { CallerMessage } from './protocol.js';
import type { Connect, GatewayPort } from './relay-request.js';

/** Milliseconds that a gateway gets to answer through the short cut before the long way is tried. */
const PATIENCE = 300;

const EXTENSION: CallerMessage<never> = { type: 'call' };

interface Trunk {
  port: MessagePort;
  /** Aborts when the gateway is gone. */
  dead: AbortSignal;
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
        const stop = AbortSignal.any([signal, trunk.dead, AbortSignal.timeout(PATIENCE)]);
        return await connectThrough((port) => trunk.port.postMessage(EXTENSION, [port]), stop);
      } catch {
        signal.throwIfAborted();
        this.#trunks.delete(tab);
      }
    }
    const gateway = await find(signal);
    void this.#lay(tab, find(AbortSignal.timeout(PATIENCE)));
    return gateway;
  }

  /** The tab starts anew and may belong to another engine now. */
  forget(tab: string): void {
    this.#trunks.delete(tab);
  }

  async #lay(tab: string, found: Promise<GatewayPort>): Promise<void> {
    const gateway = await found.catch(() => undefined);
    // Without a lifeline nobody would say when the line is dead.
    if (gateway?.hello.lifeline === undefined) return;
    const { port, hello } = gateway;
    const death = new AbortController();
    watchLifeline(hello.lifeline, () => death.abort(), new AbortController().signal);
    death.signal.addEventListener('abort', () => this.#trunks.delete(tab));
    this.#trunks.set(tab, { port, dead: death.signal });
  }
}
