/** POST /decisions and POST /systemone: probabilities of the answers to typed questions, in two dialects. @module */
import type { Endpoint } from '../endpoint/endpoint.js';
import { lazyEndpoint } from '../endpoint/lazy-endpoint.js';

export const decisionsEndpoint: Endpoint = lazyEndpoint(
  {
    name: 'decisions',
    method: 'POST',
    path: '/decisions',
    summary: 'Answers typed questions about an input with probabilities.',
  },
  async () => (await import('./decisions.js')).decisions,
);

/** Below the prefix. */
export const SYSTEM_ONE_PATH = '/systemone';

export const systemOneEndpoint: Endpoint = lazyEndpoint(
  {
    name: 'decisions',
    method: 'POST',
    path: SYSTEM_ONE_PATH,
    summary: 'Answers named questions about a state with probabilities, in the form of System One.',
  },
  async () => (await import('./systemone.js')).systemOne,
);
