/** POST /completions @module */
import type { GenerationEvent } from '../../answer/generation-event.js';
import type { RunOptions } from '../../scheduler/inference.js';
import type { Endpoint } from '../endpoint.js';
import { runOptions } from '../generation/run-options.js';
import { errorObject } from '../errors/render-error.js';
import { beginHead } from '../generation/completion-head.js';
import { generate } from '../generation/generate.js';
import { oneAfterAnother } from '../generation/one-after-another.js';
import type { HttpContext } from '../http-context.js';
import { requireModel } from '../policy/require-model.js';
import { requireLogprobs, requireStream } from '../schemas/cross-field-rules.js';
import { COMMENT } from '../sse/server-sent-event.js';
import type { ServerSentEvent } from '../sse/server-sent-event.js';
import { abortWith, streamResponse } from '../sse/stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import type { CompletionObject } from './completion-object.js';
import { echoPrompt } from './echo-prompt.js';
import { completionsRequestSchema } from './request-schema.js';
import { toPromptRequests } from './to-generation-request.js';
import type { PromptRequest } from './to-generation-request.js';
import { toCompletion } from './to-response.js';
import { toCompletionChunks } from './to-stream.js';

const DONE: ServerSentEvent = { data: '[DONE]' };

/** Continues raw prompts, streamed or not. */
export const completionsEndpoint: Endpoint = {
  name: 'completions',
  method: 'POST',
  path: '/completions',
  summary: 'Continues a text.',
  requestSchema: () => completionsRequestSchema,
  route: (context) => async (c) => {
    const body = parseBody(completionsRequestSchema, await readJsonBody(c, context), [requireStream, requireLogprobs]);
    const entry = requireModel(context.inference.catalog, body.model, 'chat');
    const prompts = toPromptRequests(body, entry.id);
    await context.admit(
      c,
      prompts.reduce((sum, { request }) => sum + request.n, 0),
    );
    const headOf = beginHead('cmpl', context);
    const rendering = { logprobs: body.logprobs === true, compatibility: context.compatibility };
    const echo = body.echo === true;
    if (body.stream !== true) {
      const options = runOptions(c, 'result');
      const events = generateAll(prompts, options, echo, context);
      return c.json(await toCompletion(toCompletionChunks(events, headOf, { ...rendering, includeUsage: true })));
    }
    const abort = abortWith(c.req.raw.signal);
    const events = generateAll(prompts, runOptions(c, 'first-token', abort.signal), echo, context);
    const includeUsage = body.stream_options?.include_usage === true;
    return streamResponse(context, {
      events: toServerSentEvents(toCompletionChunks(events, headOf, { ...rendering, includeUsage })),
      abort,
      keepAlive: () => COMMENT,
      failure: (error) => [{ data: errorObject(error, c.get('endpoint'), c.get('inferenceId')) }],
    });
  },
};

/** All prompts' choices as one generation. */
function generateAll(
  prompts: readonly PromptRequest[],
  options: RunOptions,
  echo: boolean,
  context: HttpContext,
): AsyncIterable<GenerationEvent> {
  return oneAfterAnother(
    prompts.map(({ request, param }) => ({
      n: request.n,
      begin: () => {
        const events = generate(context, request, options, { messages: param });
        return echo ? echoPrompt(events, request) : events;
      },
    })),
  );
}

async function* toServerSentEvents(chunks: AsyncIterable<CompletionObject>): AsyncGenerator<ServerSentEvent[]> {
  for await (const data of chunks) yield [{ data }];
  yield [DONE];
}
