/** The body of POST /chat/completions. Field order is the order in which problems are reported. @module */
import * as v from 'valibot';
import type { Compatibility } from '../compatibility.js';
import { object, objectOf } from '../fields/json-object.js';
import {
  choiceCount,
  integerFrom,
  logitBias,
  numberBetween,
  seed,
  stop,
  streamOptions,
  tokenCap,
  topLogprobs,
} from '../fields/sampling.js';
import { responseFormat, toolChoice, tools } from './tools.js';
import { chatMessage } from './message-schemas.js';

/** Templates take switches and short texts; each costs the template's reader a moment. */
const MOST_ARGUMENTS = 100_000;

const templateArguments = v.pipe(
  objectOf(v.unknown()),
  v.check(
    (values) => JSON.stringify(values).length <= MOST_ARGUMENTS,
    `must have at most ${MOST_ARGUMENTS} characters as JSON`,
  ),
);

/** See {@link Compatibility} for what it changes. */
export function chatCompletionRequest(compatibility: Compatibility) {
  return object({
    model: v.string(),
    messages: v.pipe(v.array(chatMessage), v.minLength(1)),
    max_tokens: tokenCap,
    max_completion_tokens: tokenCap,
    temperature: v.nullish(numberBetween(0, 2)),
    top_p: v.nullish(numberBetween(0, 1)),
    top_k: v.nullish(integerFrom(1)),
    repetition_penalty: v.nullish(numberBetween(1, 2)),
    presence_penalty: v.nullish(numberBetween(-2, 2)),
    frequency_penalty: v.nullish(v.number()),
    do_sample: v.nullish(v.boolean()),
    stop,
    stream: v.nullish(v.boolean()),
    stream_options: streamOptions,
    response_format: responseFormat(compatibility),
    reasoning_effort: v.nullish(v.picklist(compatibility.efforts)),
    tool_choice: toolChoice,
    parallel_tool_calls: v.nullish(v.boolean()),
    tools,
    chat_template_kwargs: v.nullish(templateArguments),
    logprobs: v.nullish(v.boolean()),
    top_logprobs: topLogprobs,
    n: choiceCount,
    logit_bias: logitBias,
    seed,
  });
}

export type ChatCompletionRequest = v.InferOutput<ReturnType<typeof chatCompletionRequest>>;
