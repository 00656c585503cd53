/** GET /openapi.json @module */
import type { Endpoint } from './endpoint.js';

/** Serves the document of these endpoints. The code that makes it is loaded with the first request. */
export function openApiEndpoint(endpoints: readonly Endpoint[], prefix: string): Endpoint {
  return {
    name: 'service',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Describes the service.',
    route: (context) => async (c) => {
      const { openApiDocument } = await import('./openapi.js');
      return c.json(openApiDocument(endpoints, prefix, context.compatibility));
    },
  };
}
