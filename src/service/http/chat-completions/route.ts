/** POST /chat/completions @module */
import type { InferenceError } from '../../../core/errors/inference-error.js';
import { type CollectedChoice, type CollectedGeneration, collectGeneration } from '../../answer/collect-generation.js';
import type { Compatibility } from '../policy/compatibility.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { errorObject } from '../errors/render-error.js';
import { customInput } from '../fields/custom-tool.js';
import { cacheHint, requireLogprobs, requireStream } from '../fields/sampling.js';
import { beginHead, type CompletionHead, logprobsObject, usageObject } from '../generation/completion-parts.js';
import { passThrough, choiceError } from '../generation/generate.js';
import { generationRoute } from '../generation/generation-route.js';
import { ignoredFields } from '../generation/ignored-fields.js';
import { COMMENT, encodeServerSentEvent } from '../endpoint/stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { refuseFunctionsBesideTools, usesFunctions } from './legacy-functions.js';
import { toMessages } from './messages.js';
import { chatCompletionRequest, toGenerationRequest } from './request.js';
import { chatFinishReason, renderChunks } from './to-stream.js';
import { customToolNames } from './tools.js';

/** The next assistant message from a list of messages, whole or as a stream of chunks. */
export const chatCompletionsEndpoint: Endpoint = {
  name: 'chat-completions',
  method: 'POST',
  path: '/chat/completions',
  summary: 'Creates the next assistant message from a list of messages.',
  requestSchema: chatCompletionRequest,
  route: generationRoute(({ compatibility }) => {
    const schema = chatCompletionRequest(compatibility);
    return {
      parse: (json) => parseBody(schema, json, [requireStream, refuseFunctionsBesideTools, requireLogprobs]),
      ignored: (json) => ignoredFields(json, ['min_p', 'repetition_penalty']),
      read: async ({ body, json, modelId, images }) => {
        const messages = toMessages(body.messages, images);
        const request = await toGenerationRequest(body, modelId, messages, compatibility);
        return { request: { ...request, ...cacheHint(json) } };
      },
      countRequests: ({ request }) => request.n,
      answer: ({ body, request }, c, context) => {
        const headOf = beginHead('chatcmpl', context);
        const options = {
          hasLogprobs: request.topLogprobs !== undefined,
          compatibility,
          customTools: customToolNames(body.tools),
          usesFunctions: usesFunctions(body),
        };
        const errorOf = (error: InferenceError) => errorObject(error, 'chat-completions', c.get('inferenceId'));
        return {
          collect: async (generate) => {
            const answer = await collectGeneration(generate(request, passThrough));
            return toResponse(answer, headOf(answer.model), options);
          },
          stream: (generate) => {
            const includeUsage = body.stream_options?.include_usage === true;
            const render = renderChunks({ ...options, headOf, n: request.n, includeUsage, errorObject: errorOf });
            return {
              events: generate(request, render),
              encode: encodeServerSentEvent,
              keepAlive: () => COMMENT,
              failure: (error) => encodeServerSentEvent({ data: errorOf(error) }),
            };
          },
        };
      },
    };
  }),
};

/** What a completion depends on besides the answer. */
interface ResponseOptions {
  hasLogprobs: boolean;
  compatibility: Compatibility;
  /** Names of the free-text tools. */
  customTools: ReadonlySet<string>;
  /** A call is written in the old form. */
  usesFunctions: boolean;
}

/** @throws InferenceError `model_output_invalid` or `tool_choice_unsatisfied` when a choice is not what was asked for */
function toResponse(
  answer: CollectedGeneration,
  head: CompletionHead,
  options: ResponseOptions,
): Record<string, unknown> {
  for (const choice of answer.choices) {
    const error = choiceError(choice, options.compatibility);
    if (error) throw error;
  }
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    system_fingerprint: head.systemFingerprint,
    choices: answer.choices.map((choice, index) => choiceObject(choice, index, options)),
    usage: usageObject(answer.usage, chatFinishReason(answer.choices[0] ?? { reason: 'stop' }, options)),
  };
}

function choiceObject(choice: CollectedChoice, index: number, options: ResponseOptions): Record<string, unknown> {
  const { hasLogprobs, customTools } = options;
  const toolCalls = choice.toolCalls.map(({ id, name, arguments: text }) =>
    customTools.has(name)
      ? { id, type: 'custom', custom: { name, input: customInput(text) } }
      : { id, type: 'function', function: { name, arguments: text } },
  );
  // Without calls the content is a string, even an empty one; only calls may come without any.
  const content = choice.text === '' && toolCalls.length > 0 ? null : choice.text;
  return {
    index,
    message: {
      role: 'assistant',
      content,
      refusal: null,
      ...(choice.reasoning && { reasoning: choice.reasoning }),
      ...callsOf(choice, toolCalls, options),
    },
    logprobs: hasLogprobs ? logprobsObject(choice.logprobs ?? []) : null,
    finish_reason: chatFinishReason(choice, options),
  };
}

function callsOf(
  { toolCalls: [call] }: CollectedChoice,
  toolCalls: readonly object[],
  { usesFunctions: isOld }: ResponseOptions,
): Record<string, unknown> {
  if (!call) return {};
  return isOld ? { function_call: { name: call.name, arguments: call.arguments } } : { tool_calls: toolCalls };
}
