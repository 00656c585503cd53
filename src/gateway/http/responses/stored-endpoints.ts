/** GET and DELETE /responses/{id}, and GET /responses/{id}/input_items @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ResponseStore } from '../../state/response-store.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import { recentItemsOf } from './read-body.js';
import { listItems, ownerOf } from './stored-items.js';

const PATH = '/responses/:id';

/** Whether the service keeps what is asked for. */
export const isOffered: NonNullable<Endpoint['isOffered']> = ({ keeping }) => keeping === 'kept';

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
  after: { description: 'The items behind the one with this id.', schema: { type: 'string' } },
};

/** What a service that keeps responses has beside `POST /responses`. */
export const storedResponseEndpoints: readonly Endpoint[] = [
  {
    name: 'responses',
    method: 'GET',
    path: PATH,
    summary: 'Retrieves a response that is stored.',
    isOffered,
    route: (context) => async (c) => {
      const { state, owner, id } = await openState(context, c);
      return c.json(required(await state.find(owner, id), id));
    },
  },
  {
    name: 'responses',
    method: 'DELETE',
    path: PATH,
    summary: 'Removes a response from the device.',
    isOffered,
    route: (context) => async (c) => {
      const { state, owner, id } = await openState(context, c);
      const { output } = required(await state.remove(owner, id), id);
      const recent = recentItemsOf(context);
      for (const item of output) recent.forget(c.get('caller'), item.id);
      return c.json({ id, object: 'response', deleted: true });
    },
  },
  {
    name: 'responses',
    method: 'GET',
    path: `${PATH}/input_items`,
    summary: 'Lists the items that a response read.',
    query: LIST_QUERY,
    isOffered,
    route: (context) => async (c) => {
      const { state, owner, id } = await openState(context, c);
      const { items } = required(await state.inputOf(owner, id), id);
      return c.json(listItems(items, (name) => c.req.query(name)));
    },
  },
];

async function openState(
  { responses }: HttpContext,
  c: HttpRequestContext,
): Promise<{ state: ResponseStore; owner: string; id: string }> {
  const state = await responses?.();
  if (!state) throw new InferenceError('not_found', 'This service stores no responses.');
  return { state, owner: ownerOf(c.get('partition')), id: c.req.param('id') ?? '' };
}

/** @throws InferenceError `not_found` */
function required<Found>(found: Found | undefined, id: string): Found {
  if (found !== undefined) return found;
  throw new InferenceError('not_found', `There is no response \`${id.slice(0, 100)}\` here.`, { param: 'id' });
}
