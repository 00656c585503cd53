/** POST /responses and POST /responses/input_tokens @module */
import type { ErrorFacts } from '../../../core/errors/error-bodies.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { errorFacts } from '../errors/error-table.js';
import { nameIgnored } from '../endpoint/ignored-parts.js';
import { nameIgnoredTools } from '../endpoint/ignored-tools.js';
import { countTokens, type Render, runOptions } from '../generation/generate.js';
import { acceptRequest, type Generate, generationRoute } from '../generation/generation-route.js';
import type { HttpContext } from '../endpoint/http-context.js';
import { COMMENT, encodeServerSentEvent } from '../endpoint/stream-response.js';
import { fetchPart } from '../endpoint/lazy-endpoint.js';
import type { inConversation } from './in-conversation.js';
import { keepingWith, keepResponse } from './keep-answer.js';
import { ownerOf, toStoredItems } from './stored-items.js';
import { createBodyReader, type ReadBody } from './read-body.js';
import { renderGeneration, type RenderOptions, type RenderState, snapshot } from './render-generation.js';
import { type ResponsesRequest, responsesRequestSchema, toEchoedFields } from './request.js';
import {
  type ResponseEvent,
  type ResponseObject,
  type ResponseStreamEvent,
  startResponse,
  type StreamErrorEvent,
} from './response-object.js';

/** Output items for a conversation, streamed or not. */
export const responsesEndpoint: Endpoint = {
  name: 'responses',
  method: 'POST',
  path: '/responses',
  summary: 'Creates a response: messages, reasoning and function calls.',
  requestSchema: responsesRequestSchema,
  route: generationRoute<ResponsesRequest, ReadBody, ResponseEvent>((shared) => ({
    ...createBodyReader(shared),
    answer: ({ body, ...first }, c, context) => {
      const { input, sent, recent, conversation } = first;
      nameIgnoredTools(c, first.tools.ignored);
      nameIgnored(c, 'x-ignored-items', ignoredItems(input.items));
      const isKept = context.compatibility.keeping === 'kept' && body.store !== false;
      let { tools } = first;
      const progress = createProgress({ body, model: first.request.model, isKept }, context, {
        onItem: (item) => recent.add(c.get('caller'), item),
        formOf: (called) => tools.formOf(called),
      });
      const createId = idMaker(context);
      const partition = c.get('partition');
      const owner = ownerOf(partition);
      const kept = { owner, input: isKept || conversation ? toStoredItems(sent, createId) : [] };
      const turn = { ...kept, response: progress.response.id, read: first, isKept, partition, createId };
      const run = (generate: Generate, signal: AbortSignal): AsyncIterable<readonly ResponseEvent[]> => {
        const answerTo = (read: ReadBody): AsyncIterable<readonly ResponseEvent[]> => {
          ({ tools } = read);
          return generate(read.request, renderResponse(progress));
        };
        if (conversation) return takeTurn({ ...turn, signal }, answerTo, context);
        if (!isKept) return answerTo(first);
        return keepingWith(answerTo(first), (response) => keepResponse(response, kept, context));
      };
      return {
        collect: (generate, signal) => toResponse(run(generate, signal)),
        stream: (generate, signal) => ({
          events: run(generate, signal),
          encode: (event) => encode(numbered(event, progress)),
          keepAlive: () => keepAliveText(progress),
          failure: (error) =>
            failureEvents(errorFacts(error, 'responses'), c.get('inferenceId'), progress).map(encode).join(''),
        }),
      };
    },
  })),
};

/** See `inConversation`, which is loaded with its first use. */
async function* takeTurn(
  ...args: Parameters<typeof inConversation>
): AsyncGenerator<readonly ResponseEvent[], void, undefined> {
  const part = await fetchPart(() => import('./in-conversation.js'));
  yield* part.inConversation(...args);
}

/** Settings of the hosted service for what follows them. */
function ignoredItems(input: ReadBody['input']['items']): string[] {
  const items = typeof input === 'string' ? [] : input;
  const types = items.flatMap((item) => (item.type === 'foreign' ? [item.sentType] : []));
  return types.filter((type) => type === 'configuration_update');
}

function idMaker(context: HttpContext): (prefix: string) => string {
  return (prefix) => `${prefix}_${context.createId().replaceAll('-', '')}`;
}

function createProgress(
  { body, model, isKept }: { body: ResponsesRequest; model: string; isKept: boolean },
  context: HttpContext,
  options: Pick<RenderOptions, 'onItem' | 'formOf'>,
): ResponseProgress {
  const createId = idMaker(context);
  const now = () => Math.floor(context.now() / 1000);
  const response = startResponse(toEchoedFields(body, model, isKept), createId('resp'), now());
  return startProgress(response, {
    createId,
    now,
    summarises: body.reasoning?.summary != null,
    compatibility: context.compatibility,
    carriesReasoning: (body.include ?? []).includes('reasoning.encrypted_content'),
    ...options,
  });
}

function encode(data: ResponseStreamEvent): string {
  return encodeServerSentEvent({ event: data.type, data });
}

/** How many input tokens a response has, without generating anything. */
export const inputTokensEndpoint: Endpoint = {
  name: 'responses',
  method: 'POST',
  path: '/responses/input_tokens',
  summary: 'Counts the input tokens of a response.',
  requestSchema: responsesRequestSchema,
  route: (context) => {
    const reader = createBodyReader(context);
    return async (c) => {
      const { request, tools } = await acceptRequest(reader, c, context);
      nameIgnoredTools(c, tools.ignored);
      const input_tokens = await countTokens(context, request, runOptions(c, 'result'));
      return c.json({ object: 'response.input_tokens', input_tokens });
    };
  },
};

/** One response on its way: rendering state and the next sequence number. */
interface ResponseProgress extends RenderState {
  sequence: number;
}

/** Progress before anything has happened. */
function startProgress(response: ResponseObject, options: RenderOptions): ResponseProgress {
  return { ...options, response, open: undefined, cut: false, failure: undefined, sequence: 0 };
}

/** Renders the one choice of a generation, advancing `progress`. Throws `tool_choice_unsatisfied`. */
function renderResponse(progress: ResponseProgress): Render<ResponseEvent> {
  return (event, events) => renderGeneration(event, progress, events);
}

/** The next event as it is sent. */
function numbered(event: ResponseEvent, progress: ResponseProgress): ResponseStreamEvent {
  const data = { ...event, sequence_number: progress.sequence };
  progress.sequence += 1;
  return data;
}

/**
 * The last events of a stream that failed. A stream that failed before its first event gets that, too, so that
 * readers that insist on `response.created` understand it. Leaves `progress` as it is.
 * @param requestId uuid, as in every error of the general shape
 */
function failureEvents(error: ErrorFacts, requestId: string, progress: ResponseProgress): ResponseStreamEvent[] {
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
function keepAliveText(progress: ResponseProgress): string {
  if (progress.sequence === 0) return COMMENT;
  const data = { type: 'keepalive', sequence_number: progress.sequence };
  progress.sequence += 1;
  return encodeServerSentEvent({ event: data.type, data });
}

const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** The whole response that the last event carries. @throws what the events throw */
async function toResponse(events: AsyncIterable<readonly ResponseEvent[]>): Promise<ResponseObject> {
  let response: ResponseObject | undefined;
  for await (const piece of events) {
    for (const event of piece) {
      if (ENDS.has(event.type) && 'response' in event) response = event.response;
    }
  }
  if (!response) throw new InferenceError('internal', 'The generation ended without a result.');
  return response;
}
