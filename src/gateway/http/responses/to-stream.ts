/** A generation as a Responses stream: the rendered events, numbered, with an end even when it fails. @module */
import type { ErrorFacts } from '../../../core/errors/error-bodies.js';
import type { Render } from '../generation/generate.js';
import { COMMENT, encodeServerSentEvent } from '../stream-response.js';
import { renderGeneration, snapshot } from './render-generation.js';
import type { RenderOptions, RenderState } from './render-generation.js';
import type { ResponseEvent, ResponseObject, ResponseStreamEvent, StreamErrorEvent } from './response-object.js';
import { InferenceError } from '../../../core/errors/inference-error.js';

/** One response on its way: rendering state and the next sequence number. */
export interface ResponseProgress extends RenderState {
  sequence: number;
}

/** Progress before anything has happened. */
export function startProgress(response: ResponseObject, options: RenderOptions): ResponseProgress {
  return { ...options, response, open: undefined, cut: false, failure: undefined, sequence: 0 };
}

/** Renders the one choice of a generation, advancing `progress`. Throws `tool_choice_unsatisfied`. */
export function renderResponse(progress: ResponseProgress): Render<ResponseEvent> {
  return (event, events) => renderGeneration(event, progress, events);
}

/** The next event as it is sent. */
export function numbered(event: ResponseEvent, progress: ResponseProgress): ResponseStreamEvent {
  const data = { ...event, sequence_number: progress.sequence };
  progress.sequence += 1;
  return data;
}

/**
 * The last events of a stream that failed. A stream that failed before its first event gets that, too, so that
 * readers that insist on `response.created` understand it. Leaves `progress` as it is.
 * @param requestId uuid, as in every error of the general shape
 */
export function failureEvents(error: ErrorFacts, requestId: string, progress: ResponseProgress): ResponseStreamEvent[] {
  const response = snapshot(progress);
  const begun: ResponseEvent[] =
    progress.sequence === 0
      ? [
          { type: 'response.created', response },
          { type: 'response.in_progress', response },
        ]
      : [];
  const failed: ResponseObject = { ...response, status: 'failed', error: responseError(error) };
  const events = [...begun, errorEvent(error, requestId), { type: 'response.failed', response: failed } as const];
  return events.map((event, index) => ({ ...event, sequence_number: progress.sequence + index }));
}

function errorEvent(error: ErrorFacts, requestId: string): StreamErrorEvent {
  const { code, message, param } = error;
  return { type: 'error', code, message, param, error, request_id: requestId };
}

/** Clients know few codes here; what is the service's own fault is `server_error` to them. */
function responseError({ type, code, message }: ErrorFacts): NonNullable<ResponseObject['error']> {
  const isOurs = type === 'internal_error' || type === 'timeout_error';
  return { code: isOurs ? 'server_error' : (code ?? type), message };
}

/**
 * What bridges a silence: a comment before the stream's first event, which strict readers want to be
 * `response.created`; afterwards a numbered `keepalive` event, which readers of this dialect drop.
 */
export function keepAliveText(progress: ResponseProgress): string {
  if (progress.sequence === 0) return COMMENT;
  const data = { type: 'keepalive', sequence_number: progress.sequence };
  progress.sequence += 1;
  return encodeServerSentEvent({ event: data.type, data });
}

const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** The whole response that the last event carries. @throws what the events throw */
export async function toResponse(events: AsyncIterable<readonly ResponseEvent[]>): Promise<ResponseObject> {
  let response: ResponseObject | undefined;
  for await (const piece of events) {
    for (const event of piece) {
      if (ENDS.has(event.type) && 'response' in event) response = event.response;
    }
  }
  if (!response) throw new InferenceError('internal', 'The generation ended without a result.');
  return response;
}
