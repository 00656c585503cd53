/** The fields of a streamed chunk of a remote service that are read. Others are ignored. @module */
import * as v from 'valibot';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.nullish(v.string());

const candidate = v.object({ token: v.string(), logprob: v.number(), bytes: v.nullish(v.array(v.number())) });

const logprobs = v.object({
  content: v.nullish(v.array(v.object({ ...candidate.entries, top_logprobs: v.nullish(v.array(candidate), []) }))),
  // Text completions: three lists of one length.
  tokens: v.optional(v.array(v.string()), []),
  token_logprobs: v.optional(v.array(v.nullable(v.number())), []),
  top_logprobs: v.optional(v.nullable(v.array(v.nullable(v.record(v.string(), v.number())))), []),
});

const toolCall = v.object({
  index: v.nullish(count, 0),
  id: text,
  function: v.nullish(v.object({ name: text, arguments: text }), {}),
});

const part = v.object({ text, thinking: v.nullish(v.array(v.object({ text }))) });

const delta = v.object({
  // Reasoning models of Mistral send parts.
  content: v.nullish(v.union([v.string(), v.array(part)])),
  refusal: text,
  // Two names for the same field.
  reasoning: text,
  reasoning_content: text,
  tool_calls: v.nullish(v.array(toolCall)),
});

const choice = v.object({
  index: v.nullish(count, 0),
  delta: v.nullish(delta),
  /** Text completions. */
  text,
  // Invalid values are ignored: Together sends a number here.
  logprobs: v.fallback(v.nullish(logprobs), undefined),
  /** Null or empty until the end. */
  finish_reason: text,
  /** A string: the stop sequence that ended the answer. */
  stop_reason: v.optional(v.unknown()),
});

const usage = v.object({
  prompt_tokens: count,
  completion_tokens: v.nullish(count, 0),
  total_tokens: v.nullish(count, 0),
  prompt_tokens_details: v.nullish(v.object({ cached_tokens: v.nullish(count) })),
  completion_tokens_details: v.nullish(v.object({ reasoning_tokens: v.nullish(count) })),
});

export const chunkSchema = v.object({
  choices: v.nullish(v.array(choice), []),
  usage: v.fallback(v.nullish(usage), undefined),
});

export type UpstreamChunk = v.InferOutput<typeof chunkSchema>;
export type UpstreamChoice = UpstreamChunk['choices'][number];
export type UpstreamToolCall = v.InferOutput<typeof toolCall>;
export type UpstreamLogprobs = v.InferOutput<typeof logprobs>;
