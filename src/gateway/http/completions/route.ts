/** POST /completions @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { GenerationEvent } from '../../answer/generation-event.js';
import type { RunOptions } from '../../scheduler/inference.js';
import type { Endpoint } from '../endpoint.js';
import { errorObject } from '../errors/render-error.js';
import { cacheHint, requireLogprobs, requireStream } from '../fields/sampling.js';
import { beginHead } from '../generation/completion-parts.js';
import { passThrough, generate, recordedContext, renderBatches, runOptions } from '../generation/generate.js';
import type { HttpContext } from '../http-context.js';
import { requireModel } from '../policy/require-model.js';
import { abortWith, COMMENT, encodeServerSentEvent, streamResponse } from '../stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { completionsRequestSchema, toPromptRequests } from './request.js';
import { echoPrompt, oneAfterAnother } from './several-prompts.js';
import {
  type CompletionChoice,
  type CompletionLogprobs,
  type CompletionObject,
  DONE,
  renderCompletion,
} from './to-stream.js';

/** Continues raw prompts, streamed or not. */
export const completionsEndpoint: Endpoint = {
  name: 'completions',
  method: 'POST',
  path: '/completions',
  summary: 'Continues a text.',
  requestSchema: () => completionsRequestSchema,
  route: (shared) => async (c) => {
    const context = recordedContext(c, shared);
    const json = await readJsonBody(c, context);
    const body = parseBody(completionsRequestSchema, json, [requireStream, requireLogprobs]);
    const entry = requireModel(context.inference.catalog, body.model, 'chat');
    const requests = toPromptRequests(body, entry.id, context.compatibility).map((request) => ({
      ...request,
      ...cacheHint(json),
    }));
    await context.admit(
      c,
      requests.reduce((sum, { n }) => sum + n, 0),
    );
    const headOf = beginHead('cmpl', context);
    const rendering = { logprobs: body.logprobs === true, compatibility: context.compatibility };
    const echo = body.echo === true;
    if (body.stream !== true) {
      const options = runOptions(c, 'result');
      const events = generateAll(requests, options, echo, context);
      const render = renderCompletion(headOf, { ...rendering, includeUsage: true });
      return c.json(await toCompletion(renderBatches(events, render)));
    }
    const abort = abortWith(c.req.raw.signal);
    const events = generateAll(requests, runOptions(c, 'first-token', abort.signal), echo, context);
    const includeUsage = body.stream_options?.include_usage === true;
    return streamResponse(context, {
      events: renderBatches(events, renderCompletion(headOf, { ...rendering, includeUsage })),
      encode: (data) => encodeServerSentEvent({ data }),
      abort,
      keepAlive: () => COMMENT,
      failure: (error) => encodeServerSentEvent({ data: errorObject(error, c.get('endpoint'), c.get('inferenceId')) }),
      resumeState: c.get('resumeState'),
    });
  },
};

/** All prompts' choices as one generation. */
function generateAll(
  requests: readonly GenerationRequest[],
  options: RunOptions,
  echo: boolean,
  context: HttpContext,
): AsyncIterable<readonly GenerationEvent[]> {
  return oneAfterAnother(
    requests.map((request) => ({
      n: request.n,
      begin: () => {
        const render = echo ? echoPrompt(request) : passThrough;
        return renderBatches(generate(context, request, options), render, request.paramNames);
      },
    })),
  );
}

/** The whole completion, its choices in order. Throws what the batches throw. */
async function toCompletion(
  batches: AsyncIterable<readonly (CompletionObject | typeof DONE)[]>,
): Promise<CompletionObject> {
  const choices: CompletionChoice[] = [];
  let last: CompletionObject | undefined;
  for await (const batch of batches) {
    for (const chunk of batch) {
      if (chunk === DONE) continue;
      last = chunk;
      for (const piece of chunk.choices) {
        const choice = choices[piece.index];
        if (choice) append(choice, piece);
        else choices[piece.index] = piece;
      }
    }
  }
  if (!last?.usage) throw new InferenceError('internal', 'The generation ended without a result.');
  return { ...last, choices };
}

function append(choice: CompletionChoice, piece: CompletionChoice): void {
  choice.text += piece.text;
  choice.finish_reason = piece.finish_reason;
  if (choice.logprobs && piece.logprobs) appendLogprobs(choice.logprobs, piece.logprobs);
  else choice.logprobs ??= piece.logprobs;
}

function appendLogprobs(logprobs: CompletionLogprobs, next: CompletionLogprobs): void {
  logprobs.tokens.push(...next.tokens);
  logprobs.token_logprobs.push(...next.token_logprobs);
  logprobs.top_logprobs.push(...next.top_logprobs);
  logprobs.text_offset.push(...next.text_offset);
  logprobs.content.push(...next.content);
}
