/** What the schemas of requests cannot say: forms, rules about several fields, and an example of each. @module */
import type { Catalog } from '../../../core/models/catalog.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { type JsonSchema, text } from './json-schema.js';

/** How clients write the fields of a form; the service reads them as text. */
const FORM_FIELDS: Record<string, JsonSchema> = {
  expires_after: {
    type: 'object',
    properties: {
      anchor: { type: 'string', const: 'created_at' },
      seconds: { type: 'integer', minimum: 3600, maximum: 2_592_000 },
    },
    required: ['anchor', 'seconds'],
  },
  file: { type: 'string', format: 'binary' },
  stream: { type: 'boolean' },
  temperature: { type: 'number' },
  timestamp_granularities: { type: 'array', items: { type: 'string', enum: ['word', 'segment'] } },
  include: { type: 'array', items: { type: 'string' } },
};

/** The fields of a form with their types. Changes the schema. */
export function typeForm(schema: JsonSchema): void {
  const properties = schema['properties'] as Record<string, JsonSchema>;
  for (const [name, typed] of Object.entries(FORM_FIELDS)) {
    const { description } = properties[name] ?? {};
    if (name in properties) properties[name] = { ...typed, ...(description !== undefined && { description }) };
  }
}

/** A file is sent along, or names one that is stored; URLs are known, so that an error can say why they are refused. */
export function requireFileData(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    const { properties } = (value ?? {}) as { properties?: JsonSchema };
    if (!properties || !('file_data' in properties) || !('file_id' in properties)) return value;
    const absent = { type: 'null' };
    return {
      ...(value as object),
      properties: { ...properties, file_url: absent },
      oneOf: [
        { properties: { file_data: text, file_id: absent }, required: ['file_data'] },
        { properties: { file_id: text, file_data: absent }, required: ['file_id'] },
      ],
    };
  }) as JsonSchema;
}

/** A field that is only allowed where another is `true`, or what is `needed` of it. 0 asks for nothing. */
const onlyWith = (field: string, other: string, needed: JsonSchema = { const: true }): JsonSchema => ({
  if: { required: [field], properties: { [field]: { not: { enum: [null, 0] } } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: [other], properties: { [other]: needed } },
});

const nothing = { type: 'null' };
const STREAM_RULE = onlyWith('stream_options', 'stream');

const functions = { required: ['functions'], properties: { functions: { not: nothing } } };

/** What must be called must be there. `functions` have a choice of their own. */
const callRule = (choice: JsonSchema): JsonSchema => ({
  if: { required: ['tool_choice'], properties: { tool_choice: choice }, not: functions },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['tools'], properties: { tools: { not: nothing, minItems: 1 } } },
});
const ANY_CALL_RULE = callRule({ type: 'object', required: ['type'], properties: { type: { const: 'any' } } });

/** Beside the system's words there must be something to answer. */
const TURN_RULE = {
  properties: { messages: { contains: { properties: { role: { enum: ['user', 'assistant'] } } } } },
};

/** A length of time as Ollama writes it. */
const DURATION = '^[+-]?(0|((\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))+)$';
const KEEP_ALIVE_RULE = { properties: { keep_alive: { pattern: DURATION, maxLength: 60 } } };

/** A value that says something. */
const something = { not: { enum: [null, ''] } };

/** A question about yes or no must ask something. */
const QUESTION_RULE = {
  if: { required: ['type'], properties: { type: { const: 'noul' } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: {
    anyOf: [
      { required: ['instructions'], properties: { instructions: something } },
      ...['true', 'false'].map((answer) => ({
        required: ['criteria'],
        properties: { criteria: { type: 'object', required: [answer], properties: { [answer]: something } } },
      })),
    ],
  },
};

/** Older clients of Ollama's call the model `name`. */
const NAMED_RULE = {
  anyOf: ['model', 'name'].map((name) => ({
    required: [name],
    properties: { [name]: { type: 'string', minLength: 1 } },
  })),
};

/** Ollama's roles, in letters of either case. */
const ROLES = ['system', 'user', 'assistant', 'tool']
  .map((role) => role.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`))
  .join('|');

const empty = { maxLength: 0, maxItems: 0 };

/** What would have to change the answer, and does not. Where nothing is asked there is none. */
const GENERATE_RULE = {
  if: {
    anyOf: [
      { required: ['prompt'], properties: { prompt: something } },
      { required: ['images'], properties: { images: { not: nothing, minItems: 1 } } },
    ],
  },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: {
    properties: { suffix: empty, template: empty, context: empty },
    if: { required: ['raw'], properties: { raw: { const: true } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { system: empty, images: empty } },
  },
};

/** An assistant's message without content has something else. */
const SPEAKING_RULE = {
  properties: {
    messages: {
      items: {
        if: {
          required: ['role'],
          properties: { role: { const: 'assistant' } },
          not: { required: ['content'], properties: { content: {} } },
        },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: {
          anyOf: ['tool_calls', 'function_call', 'refusal'].map((name) => ({
            required: [name],
            properties: { [name]: { not: nothing } },
          })),
        },
      },
    },
  },
};

/** One past is enough, and what goes on without its client is stored. */
const STORAGE_RULES = [
  {
    not: {
      required: ['conversation', 'previous_response_id'],
      properties: { conversation: { not: nothing }, previous_response_id: { not: nothing } },
    },
  },
  { not: { required: ['background', 'store'], properties: { background: { const: true }, store: { const: false } } } },
];

/** By path: what must hold beside the types of the fields. */
const RULES: Record<string, JsonSchema[]> = {
  '/chat/completions': [
    STREAM_RULE,
    onlyWith('top_logprobs', 'logprobs'),
    { not: { required: ['functions', 'tools'], properties: { functions: { not: nothing }, tools: { not: nothing } } } },
    SPEAKING_RULE,
    callRule({ const: 'required' }),
  ],
  '/completions': [
    STREAM_RULE,
    onlyWith('top_logprobs', 'logprobs', { anyOf: [{ const: true }, { type: 'integer' }] }),
    { not: { required: ['echo', 'suffix'], properties: { echo: { const: true }, suffix: something } } },
  ],
  '/messages': [TURN_RULE, ANY_CALL_RULE],
  '/messages/count_tokens': [TURN_RULE, ANY_CALL_RULE],
  '/responses': STORAGE_RULES,
  '/responses/input_tokens': STORAGE_RULES,
  '/responses/compact': STORAGE_RULES,
  '/embeddings': [{ properties: { input: { minLength: 1, minItems: 1, items: { minLength: 1, minItems: 1 } } } }],
  '/systemone': [{ properties: { questions: { additionalProperties: QUESTION_RULE } } }],
  '/api/chat': [
    KEEP_ALIVE_RULE,
    { properties: { messages: { items: { properties: { role: { pattern: `^(${ROLES})$` } } } } } },
  ],
  '/api/generate': [KEEP_ALIVE_RULE, GENERATE_RULE],
  '/api/embed': [KEEP_ALIVE_RULE, { properties: { input: { items: { minLength: 1 } } } }],
  '/api/embeddings': [KEEP_ALIVE_RULE],
  '/api/show': [NAMED_RULE],
  '/api/pull': [NAMED_RULE],
  '/api/delete': [NAMED_RULE],
  '/tokenize': [
    SPEAKING_RULE,
    // The template writes them.
    {
      not: {
        required: ['messages', 'add_special_tokens'],
        properties: { messages: { not: nothing }, add_special_tokens: { const: true } },
      },
    },
    { oneOf: ['prompt', 'messages'].map((name) => ({ required: [name], properties: { [name]: { not: nothing } } })) },
  ],
  '/vector_stores/:vector_store_id/file_batches': [
    {
      oneOf: ['file_ids', 'files'].map((name) => ({ required: [name], properties: { [name]: { not: nothing } } })),
    },
  ],
  '/rerank': [
    { not: { required: ['top_n', 'top_k'], properties: { top_n: { not: nothing }, top_k: { not: nothing } } } },
  ],
};

/** Rules about several fields. Changes the schema. */
export function addRules(path: string, schema: JsonSchema): void {
  const known = schema['properties'] as JsonSchema;
  // What is not known together is not refused together.
  const rules = (RULES[path] ?? []).filter(({ not }) => {
    const { required = [] } = (not ?? {}) as { required?: string[] };
    return required.every((name) => name in known);
  });
  if (rules.length > 0) schema['allOf'] = rules;
}

const messages = [{ role: 'user', content: 'What is the capital of France?' }];

/** An id as files have it. */
const FILE_ID = 'file-0123456789abcdef0123456789abcdef';
const STORE = '/vector_stores/:vector_store_id';

/** By path: a body, and the task of its model; undefined: it names none. */
const EXAMPLES: Record<string, [ModelEntry['task'] | undefined, Record<string, unknown>]> = {
  '/vector_stores': [undefined, { name: 'Papers' }],
  [STORE]: [undefined, { name: 'Letters', expires_after: { anchor: 'last_active_at', days: 30 } }],
  [`${STORE}/search`]: [undefined, { query: 'Where is the key?', max_num_results: 5 }],
  [`${STORE}/files`]: [undefined, { file_id: FILE_ID, attributes: { year: 2026 } }],
  [`${STORE}/files/:file_id`]: [undefined, { attributes: { year: 2026 } }],
  [`${STORE}/file_batches`]: [undefined, { file_ids: [FILE_ID] }],
  '/chat/completions': ['chat', { messages }],
  '/completions': ['chat', { prompt: 'The capital of France is', max_tokens: 16 }],
  '/messages': ['chat', { max_tokens: 100, messages }],
  '/messages/count_tokens': ['chat', { messages }],
  '/responses': ['chat', { input: 'What is the capital of France?' }],
  '/responses/input_tokens': ['chat', { input: 'What is the capital of France?' }],
  '/responses/compact': ['chat', { input: 'What is the capital of France?' }],
  '/embeddings': ['embeddings', { input: ['The key is under the mat.', 'It is late.'] }],
  '/rerank': ['rerank', { query: 'Where is the key?', documents: ['Under the mat.', 'It is late.'], top_n: 1 }],
  '/tokenize': ['chat', { prompt: 'The capital of France is' }],
  '/detokenize': ['chat', { tokens: [1, 2, 3] }],
  '/decisions': [
    'chat',
    { input: 'I cannot log in.', questions: [{ type: 'predicate', instructions: 'Is this a complaint?' }] },
  ],
  '/systemone': [
    'chat',
    { state: 'I cannot log in.', questions: { complaint: { type: 'noul', instructions: 'Is this a complaint?' } } },
  ],
  '/api/chat': ['chat', { messages, stream: false }],
  '/api/generate': ['chat', { prompt: 'What is the capital of France?', stream: false }],
  '/api/embed': ['embeddings', { input: ['The key is under the mat.', 'It is late.'] }],
  '/api/embeddings': ['embeddings', { prompt: 'It is late.' }],
  '/api/show': ['chat', {}],
  '/api/pull': ['chat', { stream: false }],
  '/api/delete': ['chat', {}],
  '/audio/speech': ['text-to-speech', { input: 'Good morning.', voice: 'alloy' }],
};

/** A body that the service accepts, with a model of its own where it has one for it; undefined: none is shown. */
export function createExample(path: string, catalog: Catalog): Record<string, unknown> | undefined {
  const [task, body] = EXAMPLES[path] ?? [];
  if (!body) return undefined;
  if (!task) return body;
  return { model: catalog.usable().find((entry) => entry.task === task)?.id ?? 'model-id', ...body };
}
