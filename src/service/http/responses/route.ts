/** POST /responses and POST /responses/input_tokens @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { BackgroundRun, NumberedEvent } from '../../state/background-run.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { errorFacts } from '../errors/error-table.js';
import { nameIgnored } from '../endpoint/ignored-parts.js';
import { nameIgnoredTools } from '../endpoint/ignored-tools.js';
import { countTokens, runOptions } from '../generation/generate.js';
import { acceptRequest, generationRoute } from '../generation/generation-route.js';
import { COMMENT } from '../endpoint/stream-response.js';
import { fetchPart } from '../../../core/errors/fetch-part.js';
import type { beginRun } from './background.js';
import { callersOf, makeResponse } from './make-response.js';
import { encode, failureEvents, keepAliveText, numbered } from './progress.js';
import { createBodyReader, type ReadBody } from './read-body.js';
import { type ResponsesRequest, responsesRequestSchema } from './request.js';
import { ENDS, type ResponseEvent, type ResponseObject } from './response-object.js';

/** Output items for a conversation, streamed or not. */
export const responses: EndpointBody = {
  requestSchema: responsesRequestSchema,
  route: generationRoute<ResponsesRequest, ReadBody, ResponseEvent | NumberedEvent>((shared) => ({
    ...createBodyReader(shared),
    answer: (accepted, c, context) => {
      nameIgnoredTools(c, accepted.tools.ignored);
      nameIgnored(c, 'x-ignored-items', ignoredItems(accepted.input.items));
      const made = makeResponse(accepted, callersOf(c), context);
      const { progress, run } = made;
      const failure = (error: InferenceError): string =>
        failureEvents(errorFacts(error, 'responses'), c.get('inferenceId'), progress).map(encode).join('');
      const encodeNext = (event: ResponseEvent | NumberedEvent): string =>
        encode('sequence_number' in event ? event : numbered(event, progress));
      if (accepted.body.background === true) {
        const begin = (): Promise<BackgroundRun> => beginLater(made, c, context);
        return {
          collect: async () => (await begin()).snapshot(),
          stream: () => ({ events: follow(begin), encode: encodeNext, keepAlive: () => COMMENT, failure }),
        };
      }
      return {
        collect: (generate, signal) => toResponse(run(generate, signal)),
        stream: (generate, signal) => ({
          events: run(generate, signal),
          encode: encodeNext,
          keepAlive: () => keepAliveText(progress),
          failure,
        }),
      };
    },
  })),
};

async function beginLater(...args: Parameters<typeof beginRun>): Promise<BackgroundRun> {
  return (await fetchPart(() => import('./background.js'))).beginRun(...args);
}

/** A caller that leaves stops nothing. */
async function* follow(begin: () => Promise<BackgroundRun>): AsyncGenerator<readonly NumberedEvent[], void, undefined> {
  yield* (await begin()).follow(0);
}

/** Settings of the hosted service for what follows them. */
function ignoredItems(input: ReadBody['input']['items']): string[] {
  const items = typeof input === 'string' ? [] : input;
  const types = items.flatMap((item) => (item.type === 'foreign' ? [item.sentType] : []));
  return types.filter((type) => type === 'configuration_update');
}

/** How many input tokens a response has, without generating anything. */
export const inputTokens: EndpointBody = {
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
