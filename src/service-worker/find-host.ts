/**
 * How a Service Worker finds the tab that hosts the engine: it asks, again on every request, because anything it
 * remembered would be lost when the browser stops it.
 * @module
 */
import { pause } from './find-route.js';
import { orAborted } from '../core/platform/reject-on-abort.js';
import { closeCallPort, type GatewayPort, handOut } from '../relay/handshake.js';
import { type ConnectMessage, PROTOCOL_VERSION, type TabHandshake } from '../relay/protocol.js';

/** What is needed of a `WindowClient`. */
export interface TabClient {
  readonly id: string;
  postMessage(message: ConnectMessage, transfer: Transferable[]): void;
}

/** Whom to ask for what. */
export interface FindHostOptions {
  /** All open tabs of the origin. */
  tabs: () => Promise<readonly TabClient[]>;
  prefix: string;
  /** The tab that makes the request, asked first: it knows its group, and may be the host. */
  asker?: string | undefined;
  /** Groups by tab, as far as they are known; what the asker says is added. Used when the asker is too busy to answer. */
  groups?: Map<string, string>;
  /** Only a host of this group will do. */
  group?: string | undefined;
  signal: AbortSignal;
}

/** Milliseconds that a tab gets to answer before the others are asked too: it may be a page without Inpage. */
const FIND_TIMEOUT_MS = 300;
/** Milliseconds between two rounds while no tab hosts: one is just closing, and the next in the queue takes over. */
const RETRY_DELAY_MS = 50;

/**
 * Asks until a gateway says hello. Several may be asked, one is chosen, and only that one gets the request.
 * Rejects with the signal's reason.
 */
export async function findHost(options: FindHostOptions): Promise<GatewayPort<MessagePort>> {
  const { tabs, prefix, asker, groups, signal } = options;
  let { group } = options;
  let isOver = false;
  const asked = new Set<MessagePort>();
  let found: (gateway: GatewayPort<MessagePort>) => void = () => {};
  const host = new Promise<GatewayPort<MessagePort>>((resolve) => (found = resolve));

  const ask = (tab: TabClient): Promise<TabHandshake> => {
    const handshake = handOut((port) => tab.postMessage({ inpage: 'connect', prefix, group }, [port]));
    const { port } = handshake;
    asked.add(port);
    void handshake.hello.then((hello) => {
      if (hello.version === PROTOCOL_VERSION) found({ port, hello });
    });
    return handshake.tab;
  };

  const round = async (): Promise<void> => {
    const all = await tabs();
    const first = group === undefined ? all.find((tab) => tab.id === asker) : undefined;
    if (first) {
      const answer = ask(first);
      void answer.then((said) => groups?.set(first.id, said.group));
      const tabHello = await Promise.race([answer, pause(FIND_TIMEOUT_MS)]);
      group = tabHello?.group ?? groups?.get(first.id);
      if (tabHello?.hosts) await pause(FIND_TIMEOUT_MS);
      if (isOver) return;
    }
    for (const tab of all) if (tab !== first) void ask(tab);
    await pause(FIND_TIMEOUT_MS);
  };

  const rounds = async (): Promise<GatewayPort<MessagePort>> => {
    for (;;) {
      await round();
      if (isOver) return host;
      await pause(RETRY_DELAY_MS);
    }
  };

  try {
    const gateway = await orAborted(Promise.race([host, rounds()]), signal);
    asked.delete(gateway.port);
    return gateway;
  } finally {
    isOver = true;
    for (const port of asked) closeCallPort(port);
  }
}
