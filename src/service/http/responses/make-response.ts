/** How a response is made from a body that was read. @module */
import { fetchPart } from '../../../core/errors/fetch-part.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import { generateFitting, groupSingly } from '../generation/fit-context.js';
import { countTokens } from '../generation/generate.js';
import type { Generate } from '../generation/generation-route.js';
import type { inConversation } from './in-conversation.js';
import { type StoredInput, storingBeforeEnd, storeResponse } from './store-response.js';
import { createProgress, idMaker, renderResponse, type ResponseProgress } from './progress.js';
import type { ReadBody } from './read-body.js';
import type { ResponsesRequest } from './request.js';
import type { ResponseEvent } from './response-object.js';
import { ownerOf } from '../fields/owner-of.js';
import { toStoredItems } from './stored-items.js';

/** Who asks; see `HttpEnvironment`. */
export interface Callers {
  caller: string;
  partition: string | undefined;
}

/** Of a request. */
export function callersOf(c: HttpRequestContext): Callers {
  return { caller: c.get('caller'), partition: c.get('partition') };
}

/** What a response that is made again has already. */
export interface Begun extends Pick<StoredInput, 'input'> {
  id: string;
  /** Unix seconds. */
  createdAt: number;
}

/** A response, before anything was made of it. */
export interface MadeResponse {
  progress: ResponseProgress;
  read: ReadBody;
  /** What it is stored with. */
  stored: StoredInput;
  /** Its events. Ending early frees the engine. */
  run: (generate: Generate, signal: AbortSignal) => AsyncIterable<readonly ResponseEvent[]>;
}

/** See the module. */
export function makeResponse(
  { body, ...first }: ReadBody & { body: ResponsesRequest },
  { caller, partition }: Callers,
  context: HttpContext,
  begun?: Begun,
): MadeResponse {
  const { sent, conversation } = first;
  const isStored = context.compatibility.responseStorage === 'offered' && body.store !== false;
  // A service by the letter of its specification knows no `auto`.
  const cuts = body.truncation === 'auto' && context.compatibility.responseStorage !== 'refused';
  let { tools } = first;
  const progress = createProgress({ body, model: first.request.model, isStored }, context, {
    onItem: (item) => context.recentItems.add(caller, { ...item }),
    formOf: (called) => tools.formOf(called),
  });
  if (begun) Object.assign(progress.response, { id: begun.id, created_at: begun.createdAt });
  const createId = idMaker(context);
  const isNamed = isStored || conversation !== undefined;
  const input = begun?.input ?? (isNamed ? toStoredItems(sent, createId) : []);
  const stored = { owner: ownerOf(partition), caller, input };
  const turn = { ...stored, response: progress.response.id, read: first, isStored, partition, createId };
  return {
    progress,
    read: first,
    stored,
    run: (generate, signal) => {
      const answerTo = (read: ReadBody): AsyncIterable<readonly ResponseEvent[]> => {
        ({ tools } = read);
        progress.search = read.search;
        const start = (request: GenerationRequest): AsyncIterable<readonly ResponseEvent[]> =>
          generate(request, renderResponse(progress));
        if (!cuts) return start(read.request);
        return generateFitting(read.request, {
          generate: start,
          count: (shorter) => countTokens(context, shorter, { signal, deadline: 'result', caller: partition }),
          partsOf: (messages) => groupSingly(messages, body.instructions ? 1 : 0),
        });
      };
      if (conversation) return takeTurn({ ...turn, signal }, answerTo, context);
      if (!isStored) return answerTo(first);
      return storingBeforeEnd(answerTo(first), (response) => storeResponse(response, stored, context));
    },
  };
}

/** See `inConversation`, which is loaded with its first use. */
async function* takeTurn(
  ...args: Parameters<typeof inConversation>
): AsyncGenerator<readonly ResponseEvent[], void, undefined> {
  const part = await fetchPart(() => import('./in-conversation.js'));
  yield* part.inConversation(...args);
}
