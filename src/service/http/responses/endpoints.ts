/** POST /responses and what shares its body: their rows. What they do is loaded with the first request for one of them. @module */
import type { Endpoint } from '../endpoint/endpoint.js';
import { lazyEndpoint } from '../endpoint/lazy-endpoint.js';

const name = 'responses';
const method = 'POST';

export const responsesEndpoint: Endpoint = lazyEndpoint(
  { name, method, path: '/responses', summary: 'Creates a response: messages, reasoning and function calls.' },
  async () => (await import('./route.js')).responses,
);

export const inputTokensEndpoint: Endpoint = lazyEndpoint(
  { name, method, path: '/responses/input_tokens', summary: 'Counts the input tokens of a response.' },
  async () => (await import('./route.js')).inputTokens,
);

export const compactEndpoint: Endpoint = lazyEndpoint(
  {
    name,
    method,
    path: '/responses/compact',
    summary: "Shortens a conversation to the user's messages and a summary.",
  },
  async () => (await import('./compact.js')).compact,
);
