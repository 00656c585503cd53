/**
 * Leader election between tabs: one tab hosts the engine, the others wait in a queue and reach it through the Service Worker.
 * @module
 */
import type { InferenceError } from '../core/errors/inference-error.js';
import { orAborted, rejectOnAbort } from '../core/platform/reject-on-abort.js';
import type { GatewayOptions } from '../service/gateway-control.js';
import { type Connect, connectThrough, type GatewayPort } from '../relay/handshake.js';
import { availableLocks, requestLock } from '../core/platform/web-locks.js';
import type { BrokerMessage, ConnectMessage, PageMessage, TabHandshake } from '../relay/protocol.js';
import { closeFreePorts, lendPort } from '../relay/free-ports.js';
import { hostLock } from './host-lock.js';
import { ServiceHost } from './service-host.js';
import { watchHost } from './host-watch.js';

/** How a tab takes part. */
export interface ServiceTabOptions {
  gateway: GatewayOptions;
  /** Tabs of one group share one engine; undefined: this tab keeps to itself. */
  group: string | undefined;
  /** Told when this tab hosts and its engine cannot start. */
  onBroken: (error: InferenceError) => void;
  /** The Service Worker that brings tabs together. */
  serviceWorker: ServiceWorkerContainer | undefined;
}

/** Milliseconds until a silent gateway or Service Worker is asked again: either may just have been replaced. */
const CONNECT_ATTEMPT_TIMEOUT_MS = 2_000;

/**
 * Takes part from its construction until `stop`, but not while its page is frozen, as in the back/forward cache. Then it
 * leaves its place to others and ends its workers; models are loaded again when it hosts again.
 */
export class ServiceTab {
  readonly #options: ServiceTabOptions;
  readonly #stopped = new AbortController();
  #host: ServiceHost | undefined;
  /** Aborts when this tab becomes the host. */
  #becameHost = new AbortController();
  /** Ends this tab's place, as the host or in the queue for it; undefined: it has none. */
  #queueSlot: AbortController | undefined;
  /** There was one that brought this tab to the host. */
  #hadServiceWorker = false;
  /** Of calls of this tab that have ended. */
  readonly #freePorts: GatewayPort[] = [];
  /** Looks whether the host still answers. */
  #checkHostAlive: () => Promise<void> = async () => {};

  constructor(options: ServiceTabOptions) {
    this.#options = options;
    const { signal } = this.#stopped;
    options.serviceWorker?.addEventListener('message', this.#onMessage, { signal });
    options.serviceWorker?.startMessages();
    if (options.group !== undefined) {
      globalThis.addEventListener('pagehide', () => this.#leaveQueue(), { signal });
      globalThis.addEventListener('pageshow', () => this.#joinQueue(), { signal });
      document.addEventListener('freeze', () => this.#leaveQueue(), { signal });
      document.addEventListener('resume', () => this.#joinQueue(), { signal });
    }
    this.#joinQueue();
  }

  /** Reaches the engine, wherever it is now. Tries until the signal aborts. */
  readonly connect: Connect = async (signal, isFresh) => {
    if (isFresh) closeFreePorts(this.#freePorts);
    const free = this.#freePorts.pop();
    if (free) return free;
    const stopped = AbortSignal.any([signal, this.#stopped.signal]);
    for (;;) {
      const attempt = AbortSignal.any([stopped, AbortSignal.timeout(CONNECT_ATTEMPT_TIMEOUT_MS)]);
      try {
        const gateway = await this.#attempt(attempt);
        return gateway.hello.lifeline ? lendPort(gateway, { free: this.#freePorts, closed: this.#stopped }) : gateway;
      } catch {
        stopped.throwIfAborted();
      }
    }
  };

  /** Leaves the queue; ends the engine when it is here. */
  stop(): void {
    this.#stopped.abort();
    closeFreePorts(this.#freePorts);
    this.#leaveQueue();
  }

  #leaveQueue(): void {
    this.#queueSlot?.abort();
    this.#queueSlot = undefined;
    this.#host?.stop();
    this.#host = undefined;
    this.#becameHost = new AbortController();
  }

  /** @param how `steal`: at once, from whoever hosts; else when its turn has come */
  #joinQueue(how?: 'steal'): void {
    const locks = availableLocks();
    const { group } = this.#options;
    if (this.#queueSlot) return;
    const slot = (this.#queueSlot = new AbortController());
    if (!locks || group === undefined) return this.#becomeHost();
    const { signal } = slot;
    this.#checkHostAlive = watchHost(
      group,
      {
        isHost: () => this.#host !== undefined,
        takeOver: () => {
          this.#leaveQueue();
          this.#joinQueue('steal');
        },
      },
      signal,
    );
    requestLock(locks, hostLock(group), how ? { steal: true } : { signal }, () => {
      if (signal.aborted) return;
      this.#becomeHost();
      return new Promise<void>((release) => signal.addEventListener('abort', () => release()));
    }).catch((thrown: unknown) => {
      if (signal.aborted) return;
      // The browser blocks the site's data, and locks with it: this tab keeps to itself.
      if ((thrown as Error).name !== 'AbortError') return this.#becomeHost();
      // Another tab took the place, because this one was silent for too long.
      this.#leaveQueue();
      this.#joinQueue();
    });
  }

  #becomeHost(): void {
    this.#host = new ServiceHost(this.#options.gateway, this.#options.onBroken);
    this.#becameHost.abort();
    void this.#checkHostAlive();
  }

  /**
   * The Service Worker is gone, as after the site's data was cleared: nothing brings tabs together any more.
   * @throws always: the engine is here from now on
   */
  #hostAlone(): never {
    this.#leaveQueue();
    this.#queueSlot = new AbortController();
    this.#checkHostAlive = async () => {};
    this.#becomeHost();
    throw new Error('This tab hosts now.');
  }

  async #attempt(signal: AbortSignal): Promise<GatewayPort> {
    if (this.#host) return connectThrough((port) => this.#host?.connect(port), signal);
    return this.#askServiceWorker(AbortSignal.any([signal, this.#becameHost.signal]));
  }

  async #askServiceWorker(signal: AbortSignal): Promise<GatewayPort> {
    const { serviceWorker, group } = this.#options;
    const registered = serviceWorker?.controller ? undefined : serviceWorker?.getRegistration().catch(() => undefined);
    const worker = serviceWorker?.controller ?? (registered && (await orAborted(registered, signal)))?.active;
    if (!worker && this.#hadServiceWorker) return this.#hostAlone();
    if (!worker || group === undefined) return rejectOnAbort(signal);
    this.#hadServiceWorker = true;
    const { port1, port2 } = new MessageChannel();
    const answer = new Promise<GatewayPort>((resolve) => {
      port1.onmessage = ({ data, ports: [port] }: MessageEvent<BrokerMessage>) => {
        if (port) resolve({ port, hello: data.hello });
      };
    });
    const message: PageMessage = { inpage: 'broker', group };
    worker.postMessage(message, [port2]);
    return orAborted(answer, signal).finally(() => port1.close());
  }

  /** The Service Worker has a port for whoever hosts. */
  readonly #onMessage = (event: MessageEvent<ConnectMessage | undefined>): void => {
    const { data, ports } = event;
    const [port] = ports;
    const { gateway, group } = this.#options;
    if (data?.inpage !== 'connect' || !port || data.prefix !== gateway.prefix || group === undefined) return;
    // The gateway may take a while to say hello; until then no other group's may be taken for it.
    const hello: TabHandshake = { type: 'tab', group, hosts: this.#host !== undefined };
    port.postMessage(hello);
    if ((data.group ?? group) !== group) return;
    if (this.#host) this.#host.connect(port);
    else void this.#checkHostAlive();
  };
}
