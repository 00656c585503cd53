/** JSON Schemas of what Ollama's operations answer. @module */
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
  text,
} from './json-schema.js';

const logprob = { token: text, logprob: number, bytes: list(integer) };
const generated = {
  logprobs: list(object({ ...logprob, top_logprobs: list(object(logprob)) })),
  done_reason: oneOf('stop', 'length', 'load', 'unload'),
  total_duration: integer,
  load_duration: integer,
  prompt_eval_count: integer,
  prompt_eval_duration: integer,
  eval_count: integer,
  eval_duration: integer,
};
const head = { model: text, created_at: text, done: boolean };
const call = object({ id: text, function: object({ index: integer, name: text, arguments: anyObject }) });
const message = object({ role: only('assistant'), content: text }, { thinking: text, tool_calls: list(call) });

export const ollamaChat = object({ ...head, message }, generated);
export const ollamaGenerate = object({ ...head, response: text }, { ...generated, thinking: text });

const details = object(
  {
    parent_model: text,
    format: text,
    family: text,
    families: list(text),
    parameter_size: text,
    quantization_level: text,
  },
  { context_length: integer },
);
const capabilities = list(oneOf('completion', 'tools', 'vision', 'thinking', 'embedding'));
const listed = {
  name: text,
  model: text,
  modified_at: text,
  size: integer,
  digest: text,
  details,
  capabilities,
};

export const ollamaTags = object({ models: list(object(listed)) });
export const ollamaPs = object({
  models: list(object({ ...listed, size_vram: integer, expires_at: text, context_length: integer })),
});
export const ollamaShow: JsonSchema = object({
  modelfile: text,
  parameters: text,
  template: text,
  license: text,
  details,
  model_info: byName(either(text, integer)),
  capabilities,
  modified_at: text,
});
export const ollamaVersion = object({ version: text });

export const ollamaEmbed = object({
  model: text,
  embeddings: list(list(number)),
  total_duration: integer,
  load_duration: integer,
  prompt_eval_count: integer,
});
export const ollamaEmbeddings = object({ embedding: list(number) });

export const ollamaPull = object({ status: text }, { digest: text, total: integer, completed: integer });
