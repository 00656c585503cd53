/** The operations below /responses/{id}: their table. What they do is loaded with the first request for one of them. @module */
import type { Endpoint } from '../endpoint/endpoint.js';
import { type EndpointBody, lazyEndpoint } from '../endpoint/lazy-endpoint.js';
import type { storedResponses } from './stored-responses.js';

const PATH = '/responses/:id';

/** Whether the service keeps what is asked for. */
export const isOffered: NonNullable<Endpoint['isOffered']> = ({ responseStorage }) => responseStorage === 'offered';

/** How a list of items is paged through. */
export const LIST_QUERY = {
  order: {
    description: '`asc`: the oldest item first.',
    schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
  },
  limit: {
    description: 'At most this many items.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
  after: { description: 'The items after the one with this id.', schema: { type: 'string' } },
};

const GET_QUERY = {
  stream: 'The events of a response that was made with `background` and `stream`.',
  starting_after: {
    description: 'With `stream`: only the events after the one with this `sequence_number`.',
    schema: { type: 'integer', minimum: 0 },
  },
};

const lazily = (operation: keyof typeof storedResponses) => async (): Promise<EndpointBody> =>
  (await import('./stored-responses.js')).storedResponses[operation];
const head = { name: 'responses', isOffered } as const;

/** What a service that keeps responses has beside `POST /responses`. */
export const storedResponseEndpoints: readonly Endpoint[] = [
  lazyEndpoint(
    { ...head, method: 'GET', path: PATH, summary: 'Retrieves a response that is stored.', query: GET_QUERY },
    lazily('retrieve'),
  ),
  lazyEndpoint(
    { ...head, method: 'DELETE', path: PATH, summary: 'Removes a response from the device.' },
    lazily('remove'),
  ),
  lazyEndpoint(
    {
      ...head,
      method: 'POST',
      path: `${PATH}/cancel`,
      summary: 'Cancels a response that is being generated in the background.',
    },
    lazily('cancel'),
  ),
  lazyEndpoint(
    {
      ...head,
      method: 'GET',
      path: `${PATH}/input_items`,
      summary: 'Lists the input items of a response.',
      query: LIST_QUERY,
    },
    lazily('inputItems'),
  ),
];
