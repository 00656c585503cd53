/** The routes of a page, fetched by pages that have some. @module */
import type { OptionsByRealm } from '../../core/models/inference-options.js';
import { matchRoute, PAST_ROUTES } from '../../relay/match-route.js';
import { answerServiceWorker, holdRouteLock } from './answer-service-worker.js';
import { addressOf, createRouteFetch, type ToRequest } from './route-fetch.js';
import type { PageRoutes } from './run-route.js';

/** What a page gives its routes. Functions of modules that it has already: imported here, they would be split from it. */
export interface RoutesOptions extends Pick<PageRoutes, 'inference' | 'stopped'> {
  /** Asks the service for its bases, and the given function for all else. */
  createServiceFetch: (network: typeof fetch) => typeof fetch;
  toRequest: ToRequest;
  /** Undefined: no Service Worker, `inference.fetch` alone. */
  container: ServiceWorkerContainer | undefined;
}

/** Answers from now on. */
export function startRoutes(
  { page, gateway }: OptionsByRealm,
  options: RoutesOptions,
): {
  /** `inference.fetch` of this page. */
  fetch: typeof fetch;
  /** See {@link holdRouteLock}. */
  hold: (client: string) => Promise<void>;
} {
  const { createServiceFetch, toRequest, container, stopped } = options;
  const handlers = page.routes;
  const keys = Object.keys(handlers);
  const { origin } = location;
  const pastRoutes: typeof fetch = (input, init) => {
    if (!container?.controller || !matchRoute(keys, addressOf(input, init), origin))
      return globalThis.fetch(input, init);
    const request = new Request(input, init);
    const { url } = request;
    return globalThis.fetch(new Request(url.split('#')[0] + PAST_ROUTES, request));
  };
  const routes: PageRoutes = { ...options, ...gateway, handlers, fetch: createServiceFetch(pastRoutes) };
  if (container) answerServiceWorker(container, routes);
  const otherwise = createServiceFetch((...request) => globalThis.fetch(...request));
  return {
    fetch: createRouteFetch(routes, { origin, otherwise, toRequest }),
    hold: (client) => holdRouteLock(client, stopped),
  };
}
