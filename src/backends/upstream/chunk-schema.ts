/** What a streamed chunk of a remote service looks like, as far as it is read. Unknown fields are left out. @module */
import * as v from 'valibot';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const candidate = v.object({ token: v.string(), logprob: v.number(), bytes: v.nullish(v.array(v.number())) });

const logprobs = v.object({
  content: v.nullish(v.array(v.object({ ...candidate.entries, top_logprobs: v.optional(v.array(candidate), []) }))),
  // Of text completions: three lists of one length.
  tokens: v.optional(v.array(v.string()), []),
  token_logprobs: v.optional(v.array(v.nullable(v.number())), []),
  top_logprobs: v.optional(v.nullable(v.array(v.nullable(v.record(v.string(), v.number())))), []),
});

const toolCall = v.object({
  index: v.optional(count, 0),
  id: v.nullish(v.string()),
  function: v.optional(v.object({ name: v.nullish(v.string()), arguments: v.nullish(v.string()) }), {}),
});

const delta = v.object({
  content: v.nullish(v.string()),
  // Two names for one thing.
  reasoning: v.nullish(v.string()),
  reasoning_content: v.nullish(v.string()),
  tool_calls: v.nullish(v.array(toolCall)),
});

const choice = v.object({
  index: v.optional(count, 0),
  delta: v.nullish(delta),
  /** Of text completions. */
  text: v.nullish(v.string()),
  logprobs: v.nullish(logprobs),
  finish_reason: v.nullish(v.string()),
  /** Where it is a string: the stop sequence that fired. */
  stop_reason: v.optional(v.unknown()),
});

const usage = v.object({
  prompt_tokens: count,
  completion_tokens: v.optional(count, 0),
  prompt_tokens_details: v.nullish(v.object({ cached_tokens: v.nullish(count) })),
  completion_tokens_details: v.nullish(v.object({ reasoning_tokens: v.nullish(count) })),
});

export const chunkSchema = v.object({
  choices: v.optional(v.array(choice), []),
  usage: v.nullish(usage),
});

export type UpstreamChunk = v.InferOutput<typeof chunkSchema>;
export type UpstreamChoice = UpstreamChunk['choices'][number];
export type UpstreamToolCall = v.InferOutput<typeof toolCall>;
export type UpstreamLogprobs = v.InferOutput<typeof logprobs>;
