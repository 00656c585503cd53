/** POST /chat/completions @module */
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import type { Endpoint } from '../endpoint.js';
import { errorObject } from '../errors/render-error.js';
import { afterFirstToken } from '../generation/after-first-token.js';
import { collectAnswer } from '../generation/collect-answer.js';
import type { CompletionHead } from '../generation/completion-head.js';
import { systemFingerprint } from '../generation/system-fingerprint.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { transcribeAudioParts } from '../media-parts/transcribe-audio-parts.js';
import { requireModel } from '../policy/require-model.js';
import type { GenerationRequest } from '../../request/generation-request.js';
import { requireLogprobs, requireStream } from '../schemas/cross-field-rules.js';
import { COMMENT } from '../sse/server-sent-event.js';
import { abortWith, streamResponse } from '../sse/stream-response.js';
import { chatCompletionRequest } from './request-schema.js';
import type { ChatCompletionRequest } from './request-schema.js';
import { toGenerationRequest } from './to-generation-request.js';
import { toMessages } from './to-messages.js';
import { toResponse } from './to-response.js';
import { toStream } from './to-stream.js';

/** The next assistant message from a list of messages, whole or as a stream of chunks. */
export const chatCompletionsEndpoint: Endpoint = {
  name: 'chat-completions',
  method: 'POST',
  path: '/chat/completions',
  summary: 'Creates the next assistant message from a list of messages.',
  requestSchema: chatCompletionRequest,
  route: (context) => async (c) => {
    const body = parseBody(chatCompletionRequest, await readJsonBody(c, context));
    requireStream(body);
    requireLogprobs(body);
    const entry = requireModel(context.inference.catalog, body.model, 'chat');
    const request = toGenerationRequest(body, entry.id, await toMessages(body.messages));
    await context.admit(c, request.n);
    const head: CompletionHead = {
      id: `chatcmpl-${context.createId()}`,
      created: Math.floor(context.now() / 1000),
      model: entry.id,
      systemFingerprint: systemFingerprint(entry),
    };
    return body.stream === true ? streamed(c, context, request, body, head) : collected(c, context, request, head);
  },
};

async function collected(
  c: HttpRequestContext,
  context: HttpContext,
  request: GenerationRequest,
  head: CompletionHead,
): Promise<Response> {
  const options = { signal: c.req.raw.signal, deadline: 'result' } as const;
  const events = context.inference.generate(await withTranscripts(request, context, options.signal), options);
  return c.json(toResponse(await collectAnswer(events), head, request.topLogprobs !== undefined));
}

async function streamed(
  c: HttpRequestContext,
  context: HttpContext,
  request: GenerationRequest,
  body: ChatCompletionRequest,
  head: CompletionHead,
): Promise<Response> {
  const abort = abortWith(c.req.raw.signal);
  const heard = await withTranscripts(request, context, abort.signal);
  const events = context.inference.generate(heard, { signal: abort.signal, deadline: 'first-token' });
  const inStream = (error: Parameters<typeof errorObject>[0]) =>
    errorObject(error, 'chat-completions', c.get('inferenceId'));
  return streamResponse(context, {
    events: toStream(afterFirstToken(events), {
      head,
      n: request.n,
      includeUsage: body.stream_options?.include_usage === true,
      hasLogprobs: request.topLogprobs !== undefined,
      errorObject: inStream,
    }),
    abort,
    keepAlive: () => COMMENT,
    failure: (error) => [{ data: inStream(error) }],
  });
}

/** Only a chat prompt can hold audio. */
async function withTranscripts(
  request: GenerationRequest,
  context: HttpContext,
  signal: AbortSignal,
): Promise<GenerationRequest> {
  if (request.prompt.type !== 'chat') return request;
  const messages = await transcribeAudioParts(request.prompt.messages, context.inference, {
    signal,
    deadline: 'result',
  });
  return { ...request, prompt: { type: 'chat', messages } };
}
