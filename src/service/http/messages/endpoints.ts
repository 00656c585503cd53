/** The operations of Anthropic's dialect: their rows. What they do is loaded with the first request for one of them. @module */
import { MESSAGES_PATH } from '../../../core/errors/error-bodies.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { lazyEndpoint } from '../endpoint/lazy-endpoint.js';

const name = 'messages';
const method = 'POST';

export const messagesEndpoint: Endpoint = lazyEndpoint(
  { name, method, path: MESSAGES_PATH, summary: 'Creates the next message of a conversation.' },
  async () => (await import('./route.js')).messages,
);

export const countTokensEndpoint: Endpoint = lazyEndpoint(
  {
    name,
    method,
    path: `${MESSAGES_PATH}/count_tokens`,
    summary: 'Counts the input tokens of a Messages request.',
  },
  async () => (await import('./route.js')).tokenCount,
);
