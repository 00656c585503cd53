/**
 * What the compliance suite of Open Responses (`src/lib/compliance-tests.ts` there) asks of an answer that is a message, in our
 * own words: which fields a response has, and of which type.
 */
import * as z from 'zod';

const integer = z.number().int();
const text = z.string();

const message = z.object({
  type: z.literal('message'),
  id: text,
  status: z.enum(['in_progress', 'completed', 'incomplete']),
  role: z.literal('assistant'),
  content: z.array(
    z.object({
      type: z.literal('output_text'),
      text,
      annotations: z.array(z.never()),
      logprobs: z.array(z.object({})),
    }),
  ),
});

/** A response whose output is messages, from a request without tools. */
export const openResponse = z.object({
  id: text,
  object: z.literal('response'),
  created_at: integer,
  completed_at: integer.nullable(),
  status: text,
  incomplete_details: z.object({ reason: text }).nullable(),
  model: text,
  previous_response_id: text.nullable(),
  instructions: text.nullable(),
  output: z.array(message),
  error: z.object({ code: text, message: text }).nullable(),
  tools: z.array(z.never()),
  tool_choice: z.enum(['none', 'auto', 'required']),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.object({ format: z.object({ type: z.literal('text') }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: integer,
  temperature: z.number(),
  reasoning: z.object({ effort: text.nullable(), summary: text.nullable() }).nullable(),
  user: text.nullable(),
  usage: z
    .object({
      input_tokens: integer,
      output_tokens: integer,
      total_tokens: integer,
      input_tokens_details: z.object({ cached_tokens: integer }),
      output_tokens_details: z.object({ reasoning_tokens: integer }),
    })
    .nullable(),
  max_output_tokens: integer.nullable(),
  max_tool_calls: integer.nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: text,
  metadata: z.record(text, text),
  safety_identifier: text.nullable(),
  prompt_cache_key: text.nullable(),
});
