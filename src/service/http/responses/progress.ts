/** A response on its way: what it is so far, and its events as they are sent. @module */
import type { ErrorFacts } from '../../../core/errors/error-bodies.js';
import type { NumberedEvent } from '../../state/background-run.js';
import type { HttpContext } from '../endpoint/http-context.js';
import { COMMENT, encodeServerSentEvent } from '../endpoint/stream-response.js';
import type { Render } from '../generation/generate.js';
import { renderGeneration, type RenderOptions, type RenderState, snapshot } from './render-generation.js';
import { type ResponsesRequest, toEchoedFields } from './request.js';
import {
  type ResponseEvent,
  type ResponseObject,
  type ResponseStreamEvent,
  startResponse,
  type StreamErrorEvent,
} from './response-object.js';

export function idMaker(context: HttpContext): (prefix: string) => string {
  return (prefix) => `${prefix}_${context.createId().replaceAll('-', '')}`;
}

export function createProgress(
  { body, model, isStored }: { body: ResponsesRequest; model: string; isStored: boolean },
  context: HttpContext,
  options: Pick<RenderOptions, 'onItem' | 'formOf'>,
): ResponseProgress {
  const createId = idMaker(context);
  const now = () => Math.floor(context.now() / 1000);
  const response = startResponse(toEchoedFields(body, model, isStored), createId('resp'), now());
  return startProgress(response, {
    createId,
    now,
    summarises: body.reasoning?.summary != null,
    compatibility: context.compatibility,
    tellsResults: (body.include ?? []).includes('file_search_call.results'),
    carriesReasoning: (body.include ?? []).includes('reasoning.encrypted_content'),
    ...options,
  });
}

/** The event as it is sent. */
export function encode(data: NumberedEvent): string {
  return encodeServerSentEvent({ event: data.type, data });
}

/** One response on its way: rendering state and the next sequence number. */
export interface ResponseProgress extends RenderState {
  sequence: number;
}

/** Progress before anything has happened. */
function startProgress(response: ResponseObject, options: RenderOptions): ResponseProgress {
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
