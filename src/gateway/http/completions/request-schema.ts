/** The body of `POST /completions`. @module */
import * as v from 'valibot';
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
} from '../fields/sampling.js';

/** Most prompts of one request. */
const MOST_PROMPTS = 64;

const tokens = v.pipe(v.array(integerFrom(0)), v.minLength(1));

const several = <const Item extends v.GenericSchema>(item: Item) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(MOST_PROMPTS));

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

export type CompletionsRequest = v.InferOutput<typeof completionsRequestSchema>;
