/** Keeps a response that ends well. @module */
import type { StoredResponse } from '../../state/response-store.js';
import type { StoredItem } from '../../state/records.js';
import type { HttpContext } from '../endpoint/http-context.js';
import type { ResponseEvent, ResponseObject } from './response-object.js';

/** What a response is stored with. */
export interface StoredInput {
  owner: string;
  /** Name of the caller's rate-limit counters. */
  caller: string;
  /** Its own items. */
  input: readonly StoredItem[];
}

/**
 * The same events. A response that ends well is stored before its last event leaves, so that the next request may name it.
 * @param keep changes the response that leaves where it could not be stored
 */
export async function* storingBeforeEnd(
  events: AsyncIterable<readonly ResponseEvent[]>,
  keep: (response: ResponseObject) => Promise<void>,
): AsyncGenerator<readonly ResponseEvent[], void, undefined> {
  for await (const piece of events) {
    for (const event of piece)
      if (event.type === 'response.completed' || event.type === 'response.incomplete') await keep(event.response);
    yield piece;
  }
}

/** Keeps the response; its `store` says whether there was room. */
export async function storeResponse(
  response: ResponseObject,
  { owner, caller, input, conversation }: StoredInput & Pick<StoredResponse, 'conversation'>,
  context: HttpContext,
): Promise<void> {
  const body = { ...response, output: response.output.map((item) => ({ ...item })) };
  const state = await context.responses?.();
  const stored = { body, input, previous: response.previous_response_id ?? undefined, conversation };
  response.store = (await state?.save(owner, stored)) ?? false;
  // From now on the store alone knows them: what is removed there, by whichever tab, is gone.
  if (response.store) context.recentItems.forget(caller, response.output);
}
