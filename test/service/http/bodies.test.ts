/** Rules about bodies that hold on every endpoint: null is omission, and the first problem in field order is told. */
import { describe, expect, it } from 'vitest';
import { buildApp } from '../../support/build-app.js';
import { post } from './support/call.js';
import { ALL_TASKS } from './support/models.js';

const PATHS = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  messages: '/v1/messages',
  countTokens: '/v1/messages/count_tokens',
  responses: '/v1/responses',
  embeddings: '/v1/embeddings',
  rerank: '/v1/rerank',
} as const;

/** All fields of these names as null. */
const nulls = (names: string): Record<string, null> => Object.fromEntries(names.split(' ').map((name) => [name, null]));

const CHAT = {
  model: 'scripted-chat',
  messages: [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
    {
      role: 'assistant',
      content: 'Hm.',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', content: '1', tool_call_id: 'a' },
  ],
  tools: [{ type: 'function', function: { name: 'f' } }],
};

const MESSAGES = {
  model: 'scripted-chat',
  system: [{ type: 'text', text: 'Be kind.' }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
  ],
  tools: [{ name: 'f', input_schema: { type: 'object' } }],
  tool_choice: { type: 'auto' },
};

const RERANK = { model: 'scripted-rerank', query: 'Hello?', documents: ['Hello.', 'Bye.'] };

const RESPONSES = {
  model: 'scripted-chat',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
    { type: 'reasoning' },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: '1' },
  ],
  tools: [
    { type: 'function', name: 'f' },
    { type: 'custom', name: 'g' },
  ],
};

/** The same object with more fields in each of its list's items. */
const each = (items: readonly object[], ...fields: object[]): object[] =>
  items.map((item, index) => ({ ...item, ...fields[index % fields.length] }));

/** [path, a body, the same with null in every place where nothing may stand]. */
const NULLABLE: [path: string, body: object, withNulls: object][] = [
  [
    PATHS.chat,
    CHAT,
    {
      ...CHAT,
      ...nulls(
        'max_tokens max_completion_tokens temperature top_p top_k repetition_penalty presence_penalty frequency_penalty do_sample stop stream stream_options response_format reasoning_effort tool_choice parallel_tool_calls chat_template_kwargs logprobs top_logprobs n logit_bias seed user metadata store modalities audio prediction service_tier',
      ),
      messages: each(CHAT.messages, nulls('name reasoning channel refusal audio function_call')),
      tools: [{ type: 'function', function: { name: 'f', ...nulls('description parameters strict') } }],
    },
  ],
  [PATHS.chat, { ...CHAT, stream: true }, { ...CHAT, stream: true, stream_options: nulls('include_usage') }],
  [
    PATHS.completions,
    { model: 'scripted-chat', prompt: 'Once' },
    {
      model: 'scripted-chat',
      prompt: 'Once',
      ...nulls(
        'echo max_tokens max_completion_tokens temperature top_p top_k presence_penalty frequency_penalty do_sample stop stream stream_options logprobs top_logprobs n logit_bias seed best_of suffix user',
      ),
    },
  ],
  [
    PATHS.messages,
    { ...MESSAGES, max_tokens: 50 },
    {
      ...MESSAGES,
      max_tokens: 50,
      ...nulls('temperature top_p top_k stop_sequences stream thinking output_config metadata service_tier'),
      system: each(MESSAGES.system, nulls('cache_control citations')),
      messages: MESSAGES.messages.map(({ role, content }) => ({
        role,
        content: each(content, nulls('cache_control citations content is_error')),
      })),
      tools: each(MESSAGES.tools, nulls('type description cache_control')),
      tool_choice: { type: 'auto', disable_parallel_tool_use: null },
    },
  ],
  [
    PATHS.messages,
    { ...MESSAGES, max_tokens: 50, system: undefined, tools: undefined, tool_choice: undefined },
    {
      ...MESSAGES,
      max_tokens: 50,
      ...nulls('system tools tool_choice'),
      thinking: { type: 'disabled', budget_tokens: null },
      output_config: nulls('effort format'),
    },
  ],
  [
    PATHS.countTokens,
    { ...MESSAGES, tools: undefined, tool_choice: undefined },
    { ...MESSAGES, ...nulls('tools tool_choice thinking output_config') },
  ],
  [
    PATHS.responses,
    RESPONSES,
    {
      ...RESPONSES,
      ...nulls(
        'instructions stream max_output_tokens temperature top_p top_k tool_choice parallel_tool_calls text reasoning user metadata include top_logprobs previous_response_id conversation prompt background store truncation service_tier safety_identifier prompt_cache_key max_tool_calls',
      ),
      input: each(
        RESPONSES.input,
        nulls('type id status'),
        nulls('id status summary content encrypted_content'),
        nulls('id status'),
        nulls('id status'),
      ),
      tools: each(RESPONSES.tools, nulls('description parameters strict format')),
    },
  ],
  [
    PATHS.responses,
    RESPONSES,
    { ...RESPONSES, text: nulls('format verbosity'), reasoning: nulls('effort summary generate_summary') },
  ],
  [
    PATHS.embeddings,
    { model: 'scripted-embed', input: 'Hello.' },
    { model: 'scripted-embed', input: 'Hello.', ...nulls('encoding_format dimensions user') },
  ],
  [PATHS.rerank, RERANK, { ...RERANK, ...nulls('top_n return_documents max_tokens_per_doc') }],
];

/** What differs from answer to answer. */
const withoutChance = (text: string): string =>
  text
    .replaceAll(/"(id|item_id|request_id)":"[^"]*"/g, '"$1":""')
    .replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1":0')
    .replaceAll(/,"usage":\{.*?\}(?=[,}]*$)/g, '');

const app = buildApp({ models: ALL_TASKS });

describe('null', () => {
  it.each(NULLABLE)('[X06] equals omission wherever a field may be left out of %s', async (path, body, withNulls) => {
    const omitted = await post((await app).app, path, body);
    expect([omitted.status, omitted.text]).toEqual([200, expect.any(String)]);
    const told = await post((await app).app, path, withNulls);
    expect([told.status, withoutChance(told.text)]).toEqual([200, withoutChance(omitted.text)]);
  });
});

describe('of several problems the first in field order is told', () => {
  it.each([
    [PATHS.completions, { model: 'scripted-chat' }, { n: 0, seed: 'x', temperature: 2, prompt: 5 }, 'prompt'],
    [PATHS.completions, { prompt: 'x' }, { prompt: 5, model: 5 }, 'model'],
    [PATHS.completions, { model: 'scripted-chat', prompt: 'x' }, { seed: 'x', top_logprobs: 3 }, 'top_logprobs'],
    [PATHS.completions, { model: 'scripted-chat', prompt: 'x' }, { n: 9, stream_options: {} }, 'stream_options'],
    [PATHS.messages, MESSAGES, { tools: {}, top_p: 5, temperature: 5, max_tokens: 0 }, 'max_tokens'],
    [PATHS.messages, { ...MESSAGES, max_tokens: 1 }, { tools: {}, messages: [], top_p: 5 }, 'messages'],
    [PATHS.messages, { ...MESSAGES, max_tokens: 1 }, { tools: {}, stop_sequences: 5, top_k: 0 }, 'top_k'],
    [PATHS.responses, { model: 'scripted-chat' }, { temperature: 5, top_p: 5, input: 5 }, 'input'],
    [PATHS.responses, RESPONSES, { metadata: 5, tools: {}, top_p: 5 }, 'top_p'],
    [PATHS.embeddings, {}, { model: 5, encoding_format: 'x' }, 'input'],
    [PATHS.embeddings, { input: 'x' }, { model: 5, encoding_format: 'x' }, 'model'],
    [PATHS.rerank, { model: 'scripted-rerank' }, { top_n: 0, documents: 5, query: '' }, 'query'],
    [PATHS.rerank, RERANK, { max_tokens_per_doc: 0, top_n: 0 }, 'top_n'],
  ])('[X08] %s', async (path, body, problems, param) => {
    const { status, json } = await post((await app).app, path, { ...body, ...problems });
    expect([status, json.error.param]).toEqual([400, param]);
  });
});

describe('JSON in a string of the body', () => {
  const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const call = (text: string) => ({ id: 'a', type: 'function', function: { name: 'f', arguments: text } });
  const bodies = (text: string) =>
    [
      [
        PATHS.chat,
        'messages.0.tool_calls.1.function.arguments',
        { messages: [{ role: 'assistant', tool_calls: [call('{}'), call(text)] }] },
      ],
      [
        PATHS.responses,
        'input.0.arguments',
        { input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: text }] },
      ],
    ] as const;

  it.each([201, 3000, 100_000])('arguments that are nested %i levels deep are refused by name', async (levels) => {
    const { app } = await buildApp();
    for (const [path, param, fields] of bodies(deep(levels))) {
      const { status, json } = await post(app, path, { model: 'scripted-chat', ...fields });
      expect([status, json.error]).toMatchObject([
        400,
        { param, message: `\`${param}\` is nested more than 200 levels deep.` },
      ]);
    }
  });

  it('arguments of 200 levels are taken, and so are brackets inside their strings', async () => {
    const { app } = await buildApp();
    for (const text of [deep(200), JSON.stringify({ a: '['.repeat(1000) })]) {
      for (const [path, , fields] of bodies(text)) {
        expect((await post(app, path, { model: 'scripted-chat', ...fields })).status).toBe(200);
      }
    }
  });
});
