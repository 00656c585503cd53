/** How a Service Worker finds the page whose handler answers a request of the app's own routes. @module */
import { availableLocks } from '../core/platform/web-locks.js';
import { awaitHandshake, closeCallPort, type GatewayPort } from '../relay/handshake.js';
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
  /** Milliseconds until it is abandoned. */
  limit: number;
}

/** Milliseconds that another page gets to answer, or one that may have no library at all. */
const SILENT_TIMEOUT_MS = 500;
const RETRY_DELAY_MS = 50;

/**
 * Rejects when no page has the route. Only the page that is returned gets the request. A page that asks and has no handler is
 * waited for until the limit, because it may be about to start; a frame or a worker is not.
 * @param tabs all open pages of the origin, the one that was focused last first
 */
export async function findRoute(
  tabs: () => Promise<readonly RouteClient[]>,
  { asker, key, limit }: FindRouteOptions,
): Promise<GatewayPort> {
  for (const end = Date.now() + limit; ;) {
    const all = await tabs();
    const held = (await availableLocks()?.query())?.held;
    const hasRoutes = ({ id }: RouteClient): boolean => !held || held.some(({ name }) => name === routeLock(id));
    const own = all.find(({ id }) => id === asker);
    const isBusy = own && held && hasRoutes(own);
    // However busy it is: in another page the handler would act for another user.
    let answer = own && (await ask(own, key, isBusy ? CONNECT_TIMEOUT_MS : SILENT_TIMEOUT_MS));
    let isLast = answer === null;
    const isLate = Date.now() > end;
    if (answer === null || isLate || own?.frameType !== 'top-level') {
      for (const tab of all) {
        if (answer || tab === own || !hasRoutes(tab)) continue;
        answer = await ask(tab, key, SILENT_TIMEOUT_MS);
        isLast = false;
      }
    }
    if (answer) return answer;
    if (isLast || isLate) throw new Error(key);
    await pause(RETRY_DELAY_MS);
  }
}

/** @returns null: it has no such route; undefined: it is silent */
async function ask(tab: RouteClient, key: string, timeout: number): Promise<GatewayPort | null | undefined> {
  const { port1, port2 } = new MessageChannel();
  const { hello, tab: none } = awaitHandshake(port1);
  tab.postMessage({ inpage: 'route', key }, [port2]);
  const answer = await Promise.race([hello, none, pause(timeout)]);
  if (answer?.type === 'hello') return { port: port1, hello: answer };
  closeCallPort(port1);
  return answer && null;
}

/** A Service Worker has few bytes, and these waits need no signal. */
export function pause(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
