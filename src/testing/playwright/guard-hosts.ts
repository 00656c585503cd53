/** Keeps an app under test from asking a provider's API for real. @module */
import type { BrowserContext, Request, Route } from 'playwright';
import { allowHint, isKnownHost } from '../../serve/http/known-hosts.js';

/**
 * Requests of this context to a known API fail from now on, unless the service or a route of the test answers them.
 * @param allowed hosts that may be asked for real, e.g. `api.openai.com`
 * @param onBlocked told of each
 * @returns lets them through again
 */
export async function guardHosts(
  context: BrowserContext,
  allowed: readonly string[],
  onBlocked: (request: Request) => void,
): Promise<() => Promise<void>> {
  const isGuarded = (url: URL): boolean => isKnownHost(url.host) && !allowed.includes(url.host);
  const block = async (route: Route): Promise<void> => {
    onBlocked(route.request());
    await route.abort('blockedbyclient');
  };
  await context.route(isGuarded, block);
  return () => context.unroute(isGuarded, block);
}

/** What a test's author should know of requests that were blocked. */
export function blockedMessage(requests: readonly Request[]): string {
  const urls = [...new Set(requests.map((request) => request.url().split('?')[0]!))];
  return `inpage: the app sent a request to ${urls.join(' and ')}, but nothing handles it in this test, so it was blocked. ${allowHint(new URL(urls[0]!))}`;
}
