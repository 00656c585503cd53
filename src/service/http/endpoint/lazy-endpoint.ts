/** Endpoints whose code is loaded with their first request, so that pages which never ask for them load nothing of it. @module */
import { fetchPart } from '../../../core/errors/fetch-part.js';
import type { Endpoint } from './endpoint.js';
import type { HttpEnvironment } from './http-context.js';
import type { Handler } from 'hono';

/** What the table of endpoints must know at once. */
type EndpointHead = Pick<
  Endpoint,
  'name' | 'method' | 'path' | 'summary' | 'query' | 'isOpen' | 'isOffered' | 'requestType'
>;

/** What is loaded later. */
export type EndpointBody = Pick<Endpoint, 'requestSchema' | 'route'>;

/** @param load imports the module; called again when it failed */
export function lazyEndpoint(head: EndpointHead, load: () => Promise<EndpointBody>): Endpoint {
  return {
    ...head,
    ...(head.method !== 'GET' && {
      requestSchema: async (compatibility) => (await fetchPart(load)).requestSchema?.(compatibility),
    }),
    route: (context) => {
      let handler: Handler<HttpEnvironment> | undefined;
      return async (c, next) => {
        handler ??= (await fetchPart(load)).route(context);
        return handler(c, next);
      };
    },
  };
}
