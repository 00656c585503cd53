/** How a Service Worker finds the page whose handler answers a request of the app's own routes. @module */
import { availableLocks } from '../core/platform/web-locks.js';
import { closeCallPort, type GatewayPort, handOut } from '../relay/handshake.js';
import { routeLock } from '../relay/match-route.js';
import type { RouteMessage } from '../relay/protocol.js';
import { CONNECT_TIMEOUT_MS } from '../relay/stream/call-timing.js';

/** What is needed of a `WindowClient`. */
export interface RouteClient {
  readonly id: string;
  readonly frameType?: string;
  postMessage(message: RouteMessage, transfer: Transferable[]): void;
}

/** Whom to ask for what. */
export interface FindRouteOptions {
  /** The page that makes the request; its own handler answers, where it has one. */
  asker: string;
  key: string;
  /** Aborts when it is abandoned. */
  late: AbortSignal;
}

/** Milliseconds that another page gets to answer, or one that may have no library at all. */
const SILENT_TIMEOUT_MS = 500;
const RETRY_DELAY_MS = 50;

/**
 * Rejects when no page has the route. Only the page that is returned gets the request. A page that asks and has no handler is
 * waited for until it is late, because it may be about to start; a frame or a worker is not.
 * @param tabs all open pages of the origin, the one that was focused last first
 */
export async function findRoute(
  tabs: () => Promise<readonly RouteClient[]>,
  { asker, key, late }: FindRouteOptions,
): Promise<GatewayPort> {
  for (;;) {
    const all = await tabs();
    const held = (await availableLocks()?.query())?.held;
    const hasRoutes = (tab: RouteClient): boolean => !held || held.some((lock) => lock.name === routeLock(tab.id));
    const own = all.find((tab) => tab.id === asker);
    // However busy it is: in another page the handler would act for another user.
    let answer = own && (await ask(own, key, held && hasRoutes(own) ? CONNECT_TIMEOUT_MS : SILENT_TIMEOUT_MS));
    const isLate = late.aborted;
    let isLast = isLate || answer === null;
    if (isLast || own?.frameType !== 'top-level') {
      for (const tab of all) {
        if (answer || tab === own || !hasRoutes(tab)) continue;
        answer = await ask(tab, key, SILENT_TIMEOUT_MS);
        isLast = isLate;
      }
    }
    if (answer) return answer;
    if (isLast) throw new Error(key);
    await pause(RETRY_DELAY_MS);
  }
}

/** @returns null: it has no such route; undefined: it is silent */
async function ask(tab: RouteClient, key: string, timeout: number): Promise<GatewayPort | null | undefined> {
  const { port, hello, tab: none } = handOut((given) => tab.postMessage({ inpage: 'route', key }, [given]));
  const answer = await Promise.race([hello, none, pause(timeout)]);
  if (answer?.type === 'hello') return { port, hello: answer };
  closeCallPort(port);
  return answer && null;
}

/** A Service Worker has few bytes, and these waits need no signal. */
export function pause(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
