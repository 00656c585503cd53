/** POST /completions @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { errorObject } from '../errors/render-error.js';
import { cacheHint, requireStream } from '../fields/sampling.js';
import { beginHead } from '../generation/completion-parts.js';
import { passThrough, renderBatches } from '../generation/generate.js';
import { type Generate, generationRoute } from '../generation/generation-route.js';
import { COMMENT, encodeServerSentEvent } from '../endpoint/stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { completionsRequestSchema, refuseEchoBesideSuffix, requireTextLogprobs, toPromptRequests } from './request.js';
import { ignoredFields } from '../generation/ignored-fields.js';
import { type CompletionEvent, echoPrompt, oneAfterAnother } from './several-prompts.js';
import {
  type CompletionChoice,
  type CompletionLogprobs,
  type CompletionObject,
  DONE,
  renderCompletion,
} from './to-stream.js';

/** Continues raw prompts, streamed or not. */
export const completions: EndpointBody = {
  requestSchema: completionsRequestSchema,
  route: generationRoute(({ compatibility }) => {
    const schema = completionsRequestSchema(compatibility);
    const rules = [refuseEchoBesideSuffix, requireStream, requireTextLogprobs];
    return {
      parse: (json) => parseBody(schema, json, rules),
      ignored: (json) =>
        ignoredFields(json, ['min_p', ...(compatibility.textCompletions === 'specified' ? [] : ['suffix'])]),
      read: ({ body, json, modelId }) => {
        const requests = toPromptRequests(body, modelId, compatibility);
        return { requests: requests.map((request) => ({ ...request, ...cacheHint(json) })) };
      },
      countRequests: ({ requests }) => requests.reduce((sum, { n }) => sum + n, 0),
      answer: ({ body, requests }, c, context) => {
        const headOf = beginHead('cmpl', context);
        const rendering = { logprobs: body.logprobs, compatibility };
        const echo = body.echo === true;
        return {
          collect: (generate) => {
            const render = renderCompletion(headOf, { ...rendering, includeUsage: true });
            return toCompletion(renderBatches(generateAll(requests, echo, generate), render));
          },
          stream: (generate) => {
            const includeUsage = body.stream_options?.include_usage === true;
            const render = renderCompletion(headOf, { ...rendering, includeUsage });
            return {
              events: renderBatches(generateAll(requests, echo, generate), render),
              encode: (data: CompletionObject | typeof DONE) => encodeServerSentEvent({ data }),
              keepAlive: () => COMMENT,
              failure: (error) =>
                encodeServerSentEvent({ data: errorObject(error, c.get('endpoint'), c.get('inferenceId')) }),
            };
          },
        };
      },
    };
  }),
};

/** All prompts' choices as one generation. */
function generateAll(
  requests: readonly GenerationRequest[],
  echo: boolean,
  generate: Generate,
): AsyncIterable<readonly CompletionEvent[]> {
  return oneAfterAnother(
    requests.map((request) => ({
      n: request.n,
      begin: () => generate(request, echo ? echoPrompt(request) : passThrough),
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
