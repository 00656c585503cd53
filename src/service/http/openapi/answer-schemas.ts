/** JSON Schemas of the answers of 200, for clients that are generated. @module */
import type { Compatibility } from '../policy/compatibility.js';
import {
  anyObject,
  boolean,
  byName,
  either,
  integer,
  type JsonSchema,
  list,
  number,
  object,
  oneOf,
  only,
  orNull,
  ref,
  text,
} from './json-schema.js';

const functionCall = object({ name: text, arguments: text });
const toolCall = either(
  object({ id: text, type: only('function'), function: functionCall }),
  object({ id: text, type: only('custom'), custom: object({ name: text, input: text }) }),
);
const scored = { token: text, logprob: number, bytes: list(integer) };
const tokenLogprob = object({ ...scored, top_logprobs: list(object(scored)) });

export const completionUsage = object(
  {
    prompt_tokens: integer,
    completion_tokens: integer,
    total_tokens: integer,
    completion_tokens_details: object({ reasoning_tokens: integer }),
  },
  { time_to_first_token: number, total_latency: number, start_time: number, end_time: number, stop_reason: text },
);
const completionHead = { id: text, created: integer, model: text, system_fingerprint: text };

export const chatCompletion = object({
  ...completionHead,
  object: only('chat.completion'),
  choices: list(
    object({
      index: integer,
      message: object(
        { role: only('assistant'), content: orNull(text), refusal: { type: 'null' } },
        { reasoning: text, tool_calls: list(toolCall), function_call: functionCall },
      ),
      logprobs: orNull(object({ content: list(tokenLogprob), refusal: { type: 'null' } })),
      finish_reason: oneOf('stop', 'length', 'tool_calls', 'function_call'),
    }),
  ),
  usage: ref('CompletionUsage'),
});

export const completion = ({ completionObject }: Compatibility): JsonSchema =>
  object({
    ...completionHead,
    object: only(completionObject),
    choices: list(
      object({
        index: integer,
        text,
        logprobs: orNull(
          object({
            tokens: list(text),
            token_logprobs: list(orNull(number)),
            top_logprobs: list(orNull(byName(number))),
            text_offset: list(integer),
            content: list(tokenLogprob),
          }),
        ),
        finish_reason: oneOf('stop', 'length'),
      }),
    ),
    usage: ref('CompletionUsage'),
  });

export const message = object({
  id: text,
  type: only('message'),
  role: only('assistant'),
  model: text,
  content: list(
    either(
      object({ type: only('text'), text }),
      object({ type: only('thinking'), thinking: text, signature: text }),
      object({ type: only('tool_use'), id: text, name: text, input: anyObject, caller: anyObject }),
    ),
  ),
  stop_reason: oneOf('end_turn', 'max_tokens', 'stop_sequence', 'tool_use'),
  stop_sequence: orNull(text),
  usage: object(
    {
      input_tokens: integer,
      cache_creation_input_tokens: integer,
      cache_read_input_tokens: integer,
      output_tokens: integer,
    },
    { output_tokens_details: object({ thinking_tokens: integer }) },
  ),
});

export const responseUsage = object({
  input_tokens: integer,
  input_tokens_details: object({ cached_tokens: integer, cache_write_tokens: integer }),
  output_tokens: integer,
  output_tokens_details: object({ reasoning_tokens: integer }),
  total_tokens: integer,
});
/** Calls of published tools have the type of the tool, and what its client knows. */
export const outputItem = object(
  { type: text, id: text },
  {
    status: oneOf('in_progress', 'completed', 'incomplete'),
    role: text,
    content: list(object({ type: text }, { text })),
    summary: list(object({ type: only('summary_text'), text })),
    encrypted_content: text,
    call_id: text,
    name: text,
    namespace: text,
    arguments: either(text, anyObject),
    input: text,
    action: anyObject,
    operation: anyObject,
    queries: list(text),
    results: orNull(list(object({ file_id: text, filename: text, score: number, attributes: anyObject, text }))),
  },
);

export const response = object({
  id: text,
  object: only('response'),
  created_at: integer,
  completed_at: orNull(integer),
  status: oneOf('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'),
  error: orNull(object({ code: text, message: text })),
  incomplete_details: orNull(object({ reason: text })),
  output: list(ref('OutputItem')),
  usage: orNull(ref('ResponseUsage')),
  model: text,
  instructions: orNull(text),
  frequency_penalty: number,
  presence_penalty: number,
  max_output_tokens: orNull(integer),
  max_tool_calls: orNull(integer),
  metadata: byName(text),
  parallel_tool_calls: boolean,
  prompt_cache_key: orNull(text),
  reasoning: object({ effort: orNull(text), summary: orNull(text) }),
  safety_identifier: orNull(text),
  temperature: number,
  text: object({ format: anyObject }),
  tool_choice: either(text, anyObject),
  tools: list(anyObject),
  top_logprobs: integer,
  top_p: number,
  truncation: oneOf('auto', 'disabled'),
  user: orNull(text),
  background: boolean,
  previous_response_id: orNull(text),
  service_tier: text,
  store: boolean,
});

/** Items of a request are as they were sent. */
export const inputItem = object({ type: text, id: text });

export const inputItems = object({
  object: only('list'),
  data: list(inputItem),
  first_id: orNull(text),
  last_id: orNull(text),
  has_more: boolean,
});

export const conversation = object({
  id: text,
  object: only('conversation'),
  created_at: integer,
  metadata: { type: 'object', additionalProperties: text },
});

export const compaction = object({
  id: text,
  object: only('response.compaction'),
  created_at: integer,
  output: list(ref('OutputItem')),
  usage: ref('ResponseUsage'),
});

const inputUsage = object({ prompt_tokens: integer, total_tokens: integer });

export const embeddings = object({
  object: only('list'),
  data: list(object({ object: only('embedding'), index: integer, embedding: either(list(number), text) })),
  model: text,
  usage: inputUsage,
});

const ranked = { index: integer, relevance_score: number };
export const ranking = object(
  {
    id: text,
    object: only('list'),
    model: text,
    results: list(object(ranked, { document: anyObject })),
    usage: inputUsage,
    meta: object({ api_version: object({ version: text }), billed_units: object({ search_units: integer }) }),
  },
  { data: list(object(ranked, { document: text })) },
);

export const tokenizerInfo = object(
  {
    model: text,
    model_max_length: integer,
    chat_template: orNull(text),
    bos_token: orNull(text),
    eos_token: orNull(text),
    pad_token: orNull(text),
    unk_token: orNull(text),
  },
  { sep_token: text, cls_token: text, mask_token: text },
);

const decided = { name: orNull(text) };
export const decisions = object({
  answers: list(
    either(
      object({ type: only('predicate'), ...decided, probability: number }),
      object({
        type: only('choice'),
        ...decided,
        choice: either(text, boolean),
        confidence: number,
        probabilities: list(object({ value: either(text, boolean), probability: number })),
      }),
      object({
        type: only('score'),
        ...decided,
        score: number,
        confidence: number,
        probabilities: list(object({ label: text, probability: number, value: integer })),
      }),
      object({ type: only('refusal'), ...decided }),
    ),
  ),
  model: text,
  usage: ref('ResponseUsage'),
});

const chosen = { probabilities: byName(number), confidence: number };
export const systemOne = object({
  model: text,
  answers: byName(
    either(
      object({ type: only('noul'), noul: number }),
      object({ type: only('choice'), choice: text, ...chosen }),
      object({ type: only('score'), score: number, legend: byName({}), ...chosen }),
    ),
  ),
  usage: object({ input_tokens: integer, output_tokens: integer }),
});

const segment = object({
  id: integer,
  seek: integer,
  start: number,
  end: number,
  text,
  tokens: list(integer),
  temperature: number,
  avg_logprob: number,
  compression_ratio: number,
  no_speech_prob: number,
});
export const transcript = object(
  { text },
  {
    usage: object({ type: only('duration'), seconds: number }),
    task: oneOf('transcribe', 'translate'),
    language: text,
    duration: number,
    segments: list(segment),
    words: list(object({ word: text, start: number, end: number })),
  },
);

const price = object({ prompt: number, completion: number }, { duration_per_hour: number });
export const anthropicModel = object({
  type: only('model'),
  id: text,
  display_name: text,
  created_at: text,
  lifecycle: only('active'),
});
export const openaiModel = object(
  {
    id: text,
    object: only('model'),
    created: integer,
    owned_by: text,
    context_length: integer,
    max_completion_tokens: integer,
    pricing: price,
  },
  { default_parameters: anyObject, vendor_metadata: anyObject },
);
export const model = either(ref('OpenAIModel'), ref('AnthropicModel'));
export const openaiModels = object({ object: only('list'), data: list(ref('OpenAIModel')) });
export const anthropicModels = object({
  data: list(ref('AnthropicModel')),
  first_id: orNull(text),
  last_id: orNull(text),
  has_more: boolean,
});
export const models = either(ref('OpenAIModels'), ref('AnthropicModels'));
