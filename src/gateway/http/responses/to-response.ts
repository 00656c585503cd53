/** A Responses stream as one response: the non-streaming answer is the end of the stream. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ResponseStreamEvent } from './response-event.js';
import type { ResponseObject } from './response-object.js';

const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** The whole response that the last event carries. @throws what the events throw */
export async function toResponse(events: AsyncIterable<readonly ResponseStreamEvent[]>): Promise<ResponseObject> {
  let response: ResponseObject | undefined;
  for await (const piece of events) {
    for (const event of piece) {
      if (ENDS.has(event.type) && 'response' in event) response = event.response;
    }
  }
  if (!response) throw new InferenceError('internal', 'The generation ended without a result.');
  return response;
}
