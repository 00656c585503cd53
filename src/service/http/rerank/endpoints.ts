/** POST /rerank: its row. What it does is loaded with its first request. @module */
import type { Endpoint } from '../endpoint/endpoint.js';
import { lazyEndpoint } from '../endpoint/lazy-endpoint.js';

/** Below the prefix. */
export const RERANK_PATH = '/rerank';

export const rerankEndpoint: Endpoint = lazyEndpoint(
  {
    name: 'rerank',
    method: 'POST',
    path: RERANK_PATH,
    summary: 'Sorts documents by how relevant they are to a query.',
  },
  async () => (await import('./route.js')).rerank,
);
