/** POST /completions: its row. What it does is loaded with its first request. @module */
import type { Endpoint } from '../endpoint/endpoint.js';
import { lazyEndpoint } from '../endpoint/lazy-endpoint.js';

export const completionsEndpoint: Endpoint = lazyEndpoint(
  { name: 'completions', method: 'POST', path: '/completions', summary: 'Continues a text.' },
  async () => (await import('./route.js')).completions,
);
