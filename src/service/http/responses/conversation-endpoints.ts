/** The operations below /conversations: their table. What they do is loaded with the first request for one of them. @module */
import type { Endpoint } from '../endpoint/endpoint.js';
import { type EndpointBody, lazyEndpoint } from '../endpoint/lazy-endpoint.js';
import type { conversations } from './conversations.js';
import { isOffered, LIST_QUERY } from './stored-endpoints.js';

const PATH = '/conversations';
const ITEMS = `${PATH}/:id/items`;

const head = { name: 'responses', isOffered } as const;
const lazily = (operation: keyof typeof conversations) => async (): Promise<EndpointBody> =>
  (await import('./conversations.js')).conversations[operation];

/** What a service that keeps responses has beside them. */
export const conversationEndpoints: readonly Endpoint[] = [
  lazyEndpoint({ ...head, method: 'POST', path: PATH, summary: 'Creates a conversation.' }, lazily('create')),
  lazyEndpoint(
    { ...head, method: 'GET', path: `${PATH}/:id`, summary: 'Retrieves a conversation.' },
    lazily('retrieve'),
  ),
  lazyEndpoint(
    { ...head, method: 'POST', path: `${PATH}/:id`, summary: 'Replaces the metadata of a conversation.' },
    lazily('update'),
  ),
  lazyEndpoint(
    { ...head, method: 'DELETE', path: `${PATH}/:id`, summary: 'Removes a conversation and its items.' },
    lazily('remove'),
  ),
  lazyEndpoint(
    { ...head, method: 'GET', path: ITEMS, summary: 'Lists the items of a conversation.', query: LIST_QUERY },
    lazily('listItems'),
  ),
  lazyEndpoint({ ...head, method: 'POST', path: ITEMS, summary: 'Adds items to a conversation.' }, lazily('addItems')),
  lazyEndpoint(
    { ...head, method: 'GET', path: `${ITEMS}/:item_id`, summary: 'Retrieves an item of a conversation.' },
    lazily('retrieveItem'),
  ),
  lazyEndpoint(
    { ...head, method: 'DELETE', path: `${ITEMS}/:item_id`, summary: 'Removes an item of a conversation.' },
    lazily('removeItem'),
  ),
];
