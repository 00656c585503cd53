/** What the operations below /responses/{id} do. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ResponseStore } from '../../state/response-store.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import type { BackgroundRun } from '../../state/background-run.js';
import { fetchPart } from '../../../core/errors/fetch-part.js';
import { abortWith, COMMENT, streamResponse } from '../endpoint/stream-response.js';
import { encode } from './progress.js';
import { ownerOf } from '../fields/owner-of.js';
import { listItems } from './stored-items.js';

/** By the operation's name. */
export const storedResponses = {
  retrieve: {
    route: (context) => async (c) => {
      const { state, owner, id } = await openState(context, c);
      const { job, body } = required(await state.findStored(owner, id), id);
      const run = job ? await (await loadBackground()).takeUp({ id, owner }, c, context) : state.runOf(owner, id);
      if (c.req.query('stream') === 'true') return streamRun(run, c, context);
      if (!job) return c.json(body);
      return c.json(run?.ended === false ? run.snapshot() : required(await state.find(owner, id), id));
    },
  },
  remove: {
    route: (context) => async (c) => {
      const { state, owner, id } = await openState(context, c);
      const { job } = required(await state.findStored(owner, id), id);
      if (job) await (await loadBackground()).stopResponse({ id, owner }, context);
      required(await state.remove(owner, id), id);
      return c.json({ id, object: 'response', deleted: true });
    },
  },
  cancel: {
    route: (context) => async (c) => {
      const { state, owner, id } = await openState(context, c);
      const stored = required(await state.findStored(owner, id), id);
      return c.json(await (await loadBackground()).cancelResponse({ id, owner }, stored, context));
    },
  },
  inputItems: {
    route: (context) => async (c) => {
      const { state, owner, id } = await openState(context, c);
      const { items } = required(await state.inputOf(owner, id), id);
      return c.json(listItems(items, (name) => c.req.query(name)));
    },
  },
} satisfies Record<string, EndpointBody>;

const loadBackground = () => fetchPart(() => import('./background.js'));

/** @throws InferenceError `invalid_request` where there are no events */
function streamRun(run: BackgroundRun | undefined, c: HttpRequestContext, context: HttpContext): Promise<Response> {
  if (!run?.isStreamed) {
    const message = '`stream` needs a response that was made with `background` and `stream`, minutes ago at most.';
    throw new InferenceError('invalid_request', message, { param: 'stream' });
  }
  const after = c.req.query('starting_after');
  if (after !== undefined && !/^\d{1,15}$/.test(after)) {
    throw new InferenceError('invalid_request', '`starting_after` must be an integer.', { param: 'starting_after' });
  }
  return streamResponse(context, {
    events: run.follow(after === undefined ? 0 : Number(after) + 1),
    encode,
    abort: abortWith(c.req.raw.signal),
    keepAlive: () => COMMENT,
    failure: () => '',
  });
}

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
