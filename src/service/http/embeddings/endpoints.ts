/** POST /embeddings: its row. What it does is loaded with its first request. @module */
import type { Endpoint } from '../endpoint/endpoint.js';
import { lazyEndpoint } from '../endpoint/lazy-endpoint.js';

export const embeddingsEndpoint: Endpoint = lazyEndpoint(
  {
    name: 'embeddings',
    method: 'POST',
    path: '/embeddings',
    summary: 'Turns texts into vectors. Texts with similar meanings have similar vectors.',
  },
  async () => (await import('./route.js')).embeddings,
);
