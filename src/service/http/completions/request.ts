/** The body of `POST /completions`, and the canonical requests that it becomes: one a prompt. @module */
import * as v from 'valibot';
import type { Compatibility } from '../policy/compatibility.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { object } from '../fields/json-object.js';
import {
  choiceCount,
  integerBetween,
  integerFrom,
  logitBias,
  minP,
  numberBetween,
  requireLogprobs,
  seed,
  stop,
  streamOptions,
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

/** OpenAI's form: how many others than the chosen token are told at each place. Booleans ask for the chosen one. */
const LOGPROBS = {
  specified: v.nullish(v.boolean()),
  openai: v.nullish(v.union([v.boolean(), integerBetween(0, 5)])),
};
const TEMPERATURES = { specified: numberBetween(0, 1), openai: numberBetween(0, 2) };
/** Nothing is written for 0: the answer is the echo. */
const tokenCap = v.nullish(integerFrom(0));
/** What stands behind the text that is asked for. Elsewhere it is a field of another service. */
const suffix = { suffix: v.nullish(v.string()) };
const SUFFIXES = { specified: {} as typeof suffix, openai: suffix };

/** In the field order of the specification, which is the order in which problems are reported. */
export function completionsRequestSchema({ textCompletions }: Compatibility) {
  return object({
    model: v.string(),
    prompt: v.union([v.string(), several(v.string()), tokens, several(tokens)]),
    ...SUFFIXES[textCompletions],
    echo: v.nullish(v.boolean()),
    max_tokens: tokenCap,
    max_completion_tokens: tokenCap,
    temperature: v.nullish(TEMPERATURES[textCompletions]),
    top_p: v.nullish(numberBetween(0, 1)),
    top_k: v.nullish(integerBetween(1, 100)),
    min_p: minP,
    presence_penalty: v.nullish(numberBetween(-2, 2)),
    frequency_penalty: v.nullish(numberBetween(-2, 2)),
    do_sample: v.nullish(v.boolean()),
    stop,
    stream: v.nullish(v.boolean()),
    stream_options: streamOptions,
    logprobs: LOGPROBS[textCompletions],
    top_logprobs: topLogprobs,
    n: choiceCount,
    logit_bias: logitBias,
    seed,
  });
}

export type CompletionsRequest = v.InferOutput<ReturnType<typeof completionsRequestSchema>>;

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
    ...plainGenerationRequest(model, body.suffix ? { ...prompt, suffix: body.suffix } : prompt),
    paramNames: { messages: param },
    sampling: toSampling(body, compatibility, DEFAULT_TEMPERATURE),
    stop: toStopList(body.stop),
    ...(maxTokens != null && { maxTokens }),
    n: body.n ?? 1,
    ...toTopLogprobs(body),
  }));
}

/** A rule that throws InferenceError `invalid_request` for alternatives without log-probabilities; a count asks for its own. */
export function requireTextLogprobs(fields: Readonly<Record<string, unknown>>): void {
  if (typeof fields['logprobs'] !== 'number') requireLogprobs(fields);
}

/** A rule that throws InferenceError `invalid_request`: what stands behind the answer is not part of the echo. */
export function refuseEchoBesideSuffix({ echo, suffix }: Readonly<Record<string, unknown>>): void {
  if (echo !== true || !suffix) return;
  throw new InferenceError('invalid_request', '`echo` cannot be combined with `suffix`.', { param: 'echo' });
}

/** OpenAI's form of `logprobs`: so many of the most likely tokens, and the chosen one. */
function toTopLogprobs({ logprobs, top_logprobs: top, echo }: CompletionsRequest) {
  if (logprobs == null || logprobs === false) return {};
  const topLogprobs = typeof logprobs === 'number' ? logprobs : (top ?? 0);
  return { topLogprobs, ...(echo === true && { promptLogprobs: true as const }) };
}

type TextPrompt = Exclude<Prompt, { type: 'chat' }>;

function toPrompts(prompt: CompletionsRequest['prompt']): [prompt: TextPrompt, param: string][] {
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
