/** The body of `POST /completions`, and the canonical requests that it becomes: one a prompt. @module */
import * as v from 'valibot';
import type { Compatibility } from '../policy/compatibility.js';
import { object } from '../fields/json-object.js';
import {
  choiceCount,
  integerBetween,
  integerFrom,
  logitBias,
  numberBetween,
  seed,
  stop,
  streamOptions,
  tokenCap,
  topLogprobs,
  toSampling,
  toStopList,
} from '../fields/sampling.js';
import { plainGenerationRequest } from '../../../core/request/generation-request.js';
import type { GenerationRequest, Prompt } from '../../../core/request/generation-request.js';

/** Most prompts of one request. */
const MAX_PROMPTS = 64;

const tokens = v.pipe(v.array(integerFrom(0)), v.minLength(1));

const several = <const Item extends v.GenericSchema>(item: Item) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(MAX_PROMPTS));

/** In the field order of the specification, which is the order in which problems are reported. */
export const completionsRequestSchema = object({
  model: v.string(),
  prompt: v.union([v.string(), several(v.string()), tokens, several(tokens)]),
  echo: v.nullish(v.boolean()),
  max_tokens: tokenCap,
  max_completion_tokens: tokenCap,
  temperature: v.nullish(numberBetween(0, 1)),
  top_p: v.nullish(numberBetween(0, 1)),
  top_k: v.nullish(integerBetween(1, 100)),
  presence_penalty: v.nullish(numberBetween(-2, 2)),
  frequency_penalty: v.nullish(numberBetween(-2, 2)),
  do_sample: v.nullish(v.boolean()),
  stop,
  stream: v.nullish(v.boolean()),
  stream_options: streamOptions,
  logprobs: v.nullish(v.boolean()),
  top_logprobs: topLogprobs,
  n: choiceCount,
  logit_bias: logitBias,
  seed,
});

type CompletionsRequest = v.InferOutput<typeof completionsRequestSchema>;

/** Unlike the other dialects, this one samples unless told otherwise. */
const DEFAULT_TEMPERATURE = 0.7;

/**
 * One request per prompt, in order. Prompts go to the model as they are, without a chat template.
 * @param model catalog id
 */
export function toPromptRequests(
  body: CompletionsRequest,
  model: string,
  compatibility: Compatibility,
): GenerationRequest[] {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  return toPrompts(body.prompt).map(([prompt, param]) => ({
    ...plainGenerationRequest(model, prompt),
    paramNames: { messages: param },
    sampling: toSampling(body, compatibility.sampling, DEFAULT_TEMPERATURE),
    stop: toStopList(body.stop),
    ...(maxTokens != null && { maxTokens }),
    n: body.n ?? 1,
    ...(body.logprobs === true && { topLogprobs: body.top_logprobs ?? 0 }),
  }));
}

function toPrompts(prompt: CompletionsRequest['prompt']): [prompt: Prompt, param: string][] {
  if (typeof prompt === 'string') return [[{ type: 'raw', text: prompt }, 'prompt']];
  if (isTokens(prompt)) return [[{ type: 'tokens', ids: prompt }, 'prompt']];
  return prompt.map((item, index) => [
    typeof item === 'string' ? { type: 'raw', text: item } : { type: 'tokens', ids: item },
    `prompt.${index}`,
  ]);
}

function isTokens(prompt: readonly unknown[]): prompt is number[] {
  return typeof prompt[0] === 'number';
}
