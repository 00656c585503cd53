/** POST /chat/completions @module */
import type { InferenceError } from '../../../core/errors/inference-error.js';
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import { type CollectedChoice, type CollectedGeneration, collectGeneration } from '../../answer/collect-generation.js';
import type { Compatibility } from '../compatibility.js';
import type { Endpoint } from '../endpoint.js';
import { errorObject } from '../errors/render-error.js';
import { customInput } from '../fields/custom-tool.js';
import { RequestImages } from '../fields/request-images.js';
import { cacheHint, requireLogprobs, requireStream } from '../fields/sampling.js';
import {
  beginHead,
  type CompletionHead,
  finishReason,
  type HeadOf,
  logprobsObject,
  usageObject,
} from '../generation/completion-parts.js';
import {
  passThrough,
  choiceError,
  generate,
  recordedContext,
  renderBatches,
  runOptions,
} from '../generation/generate.js';
import type { HttpContext, HttpRequestContext } from '../http-context.js';
import { requireModel } from '../policy/require-model.js';
import { abortWith, COMMENT, encodeServerSentEvent, streamResponse } from '../stream-response.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { toMessages } from './messages.js';
import { chatCompletionRequest, toGenerationRequest } from './request.js';
import { type ChunkOptions, renderChunks } from './to-stream.js';
import { customToolNames } from './tools.js';

/** The next assistant message from a list of messages, whole or as a stream of chunks. */
export const chatCompletionsEndpoint: Endpoint = {
  name: 'chat-completions',
  method: 'POST',
  path: '/chat/completions',
  summary: 'Creates the next assistant message from a list of messages.',
  requestSchema: chatCompletionRequest,
  route: (shared) => {
    const schema = chatCompletionRequest(shared.compatibility);
    return async (c) => {
      const context = recordedContext(c, shared);
      const json = await readJsonBody(c, context);
      const body = parseBody(schema, json, [requireStream, requireLogprobs]);
      const entry = requireModel(context.inference.catalog, body.model, 'chat');
      const images = new RequestImages();
      const messages = toMessages(body.messages, images);
      const request = {
        ...toGenerationRequest(body, entry.id, messages, context.compatibility),
        ...cacheHint(json),
      };
      await images.decodeAll(context.inference.takesImages(entry.id), c.req.raw.signal);
      await context.admit(c, request.n);
      const headOf = beginHead('chatcmpl', context);
      const options = {
        hasLogprobs: request.topLogprobs !== undefined,
        compatibility: context.compatibility,
        customTools: customToolNames(body.tools),
      };
      if (body.stream !== true) return collected(c, context, request, headOf, options);
      const includeUsage = body.stream_options?.include_usage === true;
      return streamed(c, context, request, { ...options, headOf, n: request.n, includeUsage });
    };
  },
};

async function collected(
  c: HttpRequestContext,
  context: HttpContext,
  request: GenerationRequest,
  headOf: HeadOf,
  options: ResponseOptions,
): Promise<Response> {
  const events = generate(context, request, runOptions(c, 'result'));
  const answer = await collectGeneration(renderBatches(events, passThrough));
  return c.json(toResponse(answer, headOf(answer.model), options));
}

function streamed(
  c: HttpRequestContext,
  context: HttpContext,
  request: GenerationRequest,
  options: Omit<ChunkOptions, 'errorObject'>,
): Promise<Response> {
  const abort = abortWith(c.req.raw.signal);
  const events = generate(context, request, runOptions(c, 'first-token', abort.signal));
  const inStream = (error: InferenceError) => errorObject(error, 'chat-completions', c.get('inferenceId'));
  const render = renderChunks({ ...options, errorObject: inStream });
  return streamResponse(context, {
    events: renderBatches(events, render),
    encode: encodeServerSentEvent,
    abort,
    keepAlive: () => COMMENT,
    failure: (error) => encodeServerSentEvent({ data: inStream(error) }),
    resumeState: c.get('resumeState'),
  });
}

/** What a completion depends on besides the answer. */
interface ResponseOptions {
  hasLogprobs: boolean;
  compatibility: Compatibility;
  /** Names of the free-text tools. */
  customTools: ReadonlySet<string>;
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
    usage: usageObject(answer.usage, finishReason(answer.choices[0] ?? { reason: 'stop' })),
  };
}

function choiceObject(
  choice: CollectedChoice,
  index: number,
  { hasLogprobs, customTools }: ResponseOptions,
): Record<string, unknown> {
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
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    },
    logprobs: hasLogprobs ? logprobsObject(choice.logprobs ?? []) : null,
    finish_reason: finishReason(choice),
  };
}
