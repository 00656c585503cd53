/** One tab's part in the engine: it hosts it, or waits in line and reaches the host through the Service Worker. @module */
import { availableLocks } from '../relay/lifeline.js';
import { rejectOnAbort } from '../platform/reject-on-abort.js';
import { type Connect, connectThrough, type GatewayPort } from '../relay/greeting.js';
import type { BrokerMessage, ConnectMessage, PageMessage, TabWords } from '../relay/protocol.js';
import { hostLock } from './engine-group.js';
import { EngineHost } from './engine-host.js';
import type { GatewayOptions } from '../gateway/gateway-control.js';

/** How a tab takes part. */
export interface EngineTabOptions {
  gateway: GatewayOptions;
  /** Tabs of one group share one engine; undefined: this tab keeps to itself. */
  group: string | undefined;
  /** The Service Worker that brings tabs together. */
  serviceWorker: ServiceWorkerContainer | undefined;
}

/** Milliseconds until a silent gateway or Service Worker is asked again: either may just have been replaced. */
const ATTEMPT = 2_000;

/** Takes part from its construction until `stop`. */
export class EngineTab {
  readonly #options: EngineTabOptions;
  readonly #stopped = new AbortController();
  #host: EngineHost | undefined;
  /** Aborts when this tab becomes the host. */
  readonly #becameHost = new AbortController();

  constructor(options: EngineTabOptions) {
    this.#options = options;
    options.serviceWorker?.addEventListener('message', this.#onMessage, { signal: this.#stopped.signal });
    options.serviceWorker?.startMessages();
    this.#takePart();
  }

  /** Reaches the engine, wherever it is now. Tries until the signal aborts. */
  readonly connect: Connect = async (signal) => {
    const over = AbortSignal.any([signal, this.#stopped.signal]);
    for (;;) {
      const attempt = AbortSignal.any([over, AbortSignal.timeout(ATTEMPT)]);
      try {
        return await this.#attempt(attempt);
      } catch {
        over.throwIfAborted();
      }
    }
  };

  /** Leaves the line; ends the engine when it is here. */
  stop(): void {
    this.#stopped.abort();
    this.#host?.stop();
    this.#host = undefined;
  }

  #takePart(): void {
    const locks = availableLocks();
    const { group } = this.#options;
    if (!locks || group === undefined) return this.#becomeHost();
    const { signal } = this.#stopped;
    locks
      .request(hostLock(group), { signal }, () => {
        if (signal.aborted) return;
        this.#becomeHost();
        return new Promise<void>((release) => signal.addEventListener('abort', () => release()));
      })
      .catch(() => {}); // Rejects only because this tab left the line.
  }

  #becomeHost(): void {
    this.#host = new EngineHost(this.#options.gateway);
    this.#becameHost.abort();
  }

  async #attempt(signal: AbortSignal): Promise<GatewayPort> {
    if (this.#host) return connectThrough((port) => this.#host?.connect(port), signal);
    return this.#askServiceWorker(AbortSignal.any([signal, this.#becameHost.signal]));
  }

  async #askServiceWorker(signal: AbortSignal): Promise<GatewayPort> {
    const { serviceWorker, group } = this.#options;
    const worker = serviceWorker?.controller ?? (await serviceWorker?.getRegistration())?.active;
    if (!worker || group === undefined) return rejectOnAbort(signal);
    const { port1, port2 } = new MessageChannel();
    const answer = new Promise<GatewayPort>((resolve) => {
      port1.onmessage = ({ data, ports: [port] }: MessageEvent<BrokerMessage>) => {
        if (data.type === 'connected' && port) resolve({ port, hello: data.hello });
      };
    });
    const message: PageMessage = { inpage: 'broker', group };
    worker.postMessage(message, [port2]);
    return Promise.race([answer, rejectOnAbort(signal)]).finally(() => port1.close());
  }

  /** The Service Worker has a port for whoever hosts. */
  readonly #onMessage = (event: MessageEvent<ConnectMessage | undefined>): void => {
    const { data, ports } = event;
    const [port] = ports;
    const { gateway, group } = this.#options;
    if (data?.inpage !== 'connect' || !port || data.prefix !== gateway.prefix || group === undefined) return;
    // The gateway may take a while to say hello; until then no other group's may be taken for it.
    const words: TabWords = { type: 'tab', group, hosts: this.#host !== undefined };
    port.postMessage(words);
    if ((data.group ?? group) === group) this.#host?.connect(port);
  };
}
