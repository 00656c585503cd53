/** What the body of a chat completion may be: accepted values, and the 400 of each refused one. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../../src/gateway/http/app.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { chat, post } from '../support/call.js';

let app: App;
beforeAll(async () => {
  ({ app } = await buildApp({
    models: [scriptedChat({ contextLength: 20_000 })],
    rateLimits: { requestsPerMinute: 100_000 },
  }));
});

const text = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const after = (message: object) => ({ messages: [{ role: 'user', content: 'Hi.' }, message] });
const tool = (fields: object) => ({ tools: [{ type: 'function', function: { name: 'look', ...fields } }] });
const tools = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ type: 'function', function: { name: `tool_${index}` } }));

/** [title, fields] that give 200. */
const ACCEPTED: [string, Record<string, unknown>][] = [
  ['[C04] additional properties of messages', { messages: [{ role: 'user', content: 'Hi.', name: 'Ann', mood: 1 }] }],
  ['[C05] string content', text('Hi.')],
  ['[C05] parts as content', text([{ type: 'text', text: 'Hi.' }])],
  ['[C05] null content of a user message', text(null)],
  [
    '[C05] null content of a system message',
    {
      messages: [
        { role: 'system', content: null },
        { role: 'user', content: 'Hi.' },
      ],
    },
  ],
  ['[C05] null content of an assistant message', after({ role: 'assistant', content: null })],
  [
    '[C07] text parts in a tool message',
    after({ role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: '1' }] }),
  ],
  [
    '[C17] reasoning, channel and tool calls of an assistant message',
    after({
      role: 'assistant',
      content: 'x',
      reasoning: 'hm',
      channel: 'final',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    }),
  ],
  [
    '[C17] the same fields as null',
    after({ role: 'assistant', content: 'x', reasoning: null, channel: null, tool_calls: null }),
  ],
  [
    '[C03] [C05] a developer message',
    {
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
        { role: 'user', content: 'Hi.' },
      ],
    },
  ],
  [
    '[C05] an assistant message with calls alone',
    after({ role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] }),
  ],
  ['[C24] temperature 0', { temperature: 0 }],
  ['[C24] temperature 2', { temperature: 2 }],
  ['[C24] temperature null', { temperature: null }],
  ['[C26] top_p 0', { top_p: 0 }],
  ['[C26] top_p 1', { top_p: 1 }],
  ['[C27] top_k far above any vocabulary', { top_k: 10_000_000 }],
  ['[C29] top_k without temperature', { top_k: 5 }],
  ['[C30] repetition_penalty 1', { repetition_penalty: 1 }],
  ['[C30] repetition_penalty 2', { repetition_penalty: 2 }],
  ['[C31] presence_penalty', { presence_penalty: -2 }],
  ['[C32] frequency_penalty out of its nominal range', { frequency_penalty: -7 }],
  ['[C35] four stop sequences', { stop: ['a1', 'b1', 'c1', 'd1'] }],
  ['[C37] response_format text', { response_format: { type: 'text' } }],
  ['[C43] reasoning_effort low', { reasoning_effort: 'low' }],
  ['[C43] reasoning_effort medium', { reasoning_effort: 'medium' }],
  ['[C43] reasoning_effort high', { reasoning_effort: 'high' }],
  ['[C43] reasoning_effort null', { reasoning_effort: null }],
  ['[C44] reasoning_effort minimal', { reasoning_effort: 'minimal' }],
  ['[C44] reasoning_effort xhigh', { reasoning_effort: 'xhigh' }],
  ['[C44] reasoning_effort max', { reasoning_effort: 'max' }],
  ['[C51] 128 tools', { tools: tools(128) }],
  ['[C51] tools null', { tools: null }],
  ['[C54] a tool without parameters and description', tool({ description: null })],
  ['[C59] unknown template arguments', { chat_template_kwargs: { depth: 3, nested: { a: [null] } } }],
  ['[X05] unknown fields', { user: 'ann', metadata: {}, service_tier: 'auto', whatever: [1, 2] }],
  ['[C76] a refusal in the history', after({ role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] })],
  ['[C76] top_logprobs 0 without logprobs', { top_logprobs: 0 }],
  [
    '[C76] allowed_tools',
    { tools: tools(2), tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: tools(1) } } },
  ],
  [
    '[X06] null for every nullable field',
    Object.fromEntries(
      'max_tokens max_completion_tokens temperature top_p top_k repetition_penalty presence_penalty frequency_penalty do_sample stop stream stream_options response_format reasoning_effort tool_choice parallel_tool_calls tools chat_template_kwargs logprobs top_logprobs n logit_bias seed'
        .split(' ')
        .map((name) => [name, null]),
    ),
  ],
];

/** [title, fields, param] that give 400. */
const REFUSED: [string, Record<string, unknown>, string][] = [
  ['[C01] missing model', { model: undefined }, 'model'],
  ['[C01] a number as model', { model: 5 }, 'model'],
  ['[C02] missing messages', { messages: undefined }, 'messages'],
  ['[C02] messages that are no array', { messages: 'Hi.' }, 'messages'],
  ['[C02] no messages', { messages: [] }, 'messages'],
  [
    '[C03] an unknown role',
    {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'wizard', content: 'x' },
      ],
    },
    'messages.1.role',
  ],
  ['[C05] a user message without content', { messages: [{ role: 'user' }] }, 'messages.0.content'],
  ['[C05] an assistant message without content and calls', after({ role: 'assistant' }), 'messages.1.content'],
  [
    '[C05] an assistant message without content whose calls are null',
    after({ role: 'assistant', tool_calls: null }),
    'messages.1.content',
  ],
  ['[C06] a number as content', text(5), 'messages.0.content'],
  ['[C06] a boolean as content', text(true), 'messages.0.content'],
  ['[C06] an object as content', text({ text: 'x' }), 'messages.0.content'],
  [
    '[C07] null content of a tool message',
    after({ role: 'tool', tool_call_id: 'a', content: null }),
    'messages.1.content',
  ],
  ['[C08] a tool message without tool_call_id', after({ role: 'tool', content: 'x' }), 'messages.1.tool_call_id'],
  [
    '[C09] an image in a system message',
    { messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
    'messages.0.content.0.type',
  ],
  [
    '[C09] an image in an assistant message',
    after({ role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'x' } }] }),
    'messages.1.content.0.type',
  ],
  [
    '[C09] audio in a tool message',
    after({ role: 'tool', tool_call_id: 'a', content: [{ type: 'audio_content', audio_content: { content: 'x' } }] }),
    'messages.1.content.0.type',
  ],
  [
    '[C10] a text part without text',
    text([{ type: 'text', text: 'a' }, { type: 'text' }]),
    'messages.0.content.1.text',
  ],
  ['[C10] an unknown part', text([{ type: 'video', video: 'x' }]), 'messages.0.content.0.type'],
  ['[C20] max_tokens as a string', { max_tokens: '5' }, 'max_tokens'],
  ['[C20] max_tokens as a fraction', { max_tokens: 1.5 }, 'max_tokens'],
  ['[C20] max_completion_tokens as a string', { max_completion_tokens: '5' }, 'max_completion_tokens'],
  ['[C20] max_completion_tokens as a fraction', { max_completion_tokens: 2.5 }, 'max_completion_tokens'],
  ['[C24] temperature above 2', { temperature: 2.01 }, 'temperature'],
  ['[C24] temperature below 0', { temperature: -0.1 }, 'temperature'],
  ['[C24] temperature as a string', { temperature: '1' }, 'temperature'],
  ['[C26] top_p above 1', { top_p: 1.1 }, 'top_p'],
  ['[C26] top_p below 0', { top_p: -0.1 }, 'top_p'],
  ['[C27] top_k 0', { top_k: 0 }, 'top_k'],
  ['[C27] top_k -1', { top_k: -1 }, 'top_k'],
  ['[C30] repetition_penalty below 1', { repetition_penalty: 0.9 }, 'repetition_penalty'],
  ['[C30] repetition_penalty above 2', { repetition_penalty: 2.1 }, 'repetition_penalty'],
  ['[C33] do_sample that is no boolean', { do_sample: 'yes' }, 'do_sample'],
  ['[C35] five stop sequences', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
  ['[C36] stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options'],
  ['[C36] stream_options with stream false', { stream: false, stream_options: {} }, 'stream_options'],
  ['[C36] stream as a string', { stream: 'true' }, 'stream'],
  ['[C37] an unknown response format', { response_format: { type: 'xml' } }, 'response_format.type'],
  [
    '[C40] a schema without name',
    { response_format: { type: 'json_schema', json_schema: { schema: {} } } },
    'response_format.json_schema.name',
  ],
  ['[C44] reasoning_effort none', { reasoning_effort: 'none' }, 'reasoning_effort'],
  ['[C44] reasoning_effort off', { reasoning_effort: 'off' }, 'reasoning_effort'],
  ['[C44] reasoning_effort extreme', { reasoning_effort: 'extreme' }, 'reasoning_effort'],
  ['[C49] an unknown tool choice', { tools: tools(1), tool_choice: 'maybe' }, 'tool_choice'],
  [
    '[C49] a forced choice without function',
    { tools: tools(1), tool_choice: { type: 'function' } },
    'tool_choice.function',
  ],
  [
    '[C49] a forced choice without name',
    { tools: tools(1), tool_choice: { type: 'function', function: {} } },
    'tool_choice.function.name',
  ],
  [
    '[C49] a forced choice of no tool',
    { tools: tools(1), tool_choice: { type: 'function', function: { name: 'other' } } },
    'tool_choice.function.name',
  ],
  [
    '[C76] an allowed tool that is none',
    { tools: tools(1), tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: tools(2) } } },
    'tool_choice.allowed_tools.tools.1.function.name',
  ],
  ['[C51] 129 tools', { tools: tools(129) }, 'tools'],
  ['[C52] a tool of another type', { tools: [...tools(1), { type: 'web_search' }] }, 'tools.1.type'],
  ['[C53] a tool without name', tool({ name: undefined }), 'tools.0.function.name'],
  ['[C53] a name with a space', tool({ name: 'look up' }), 'tools.0.function.name'],
  ['[C59] template arguments that are a string', { chat_template_kwargs: 'x' }, 'chat_template_kwargs'],
  ['[C59] template arguments that are an array', { chat_template_kwargs: [1] }, 'chat_template_kwargs'],
  ['[C62] top_logprobs 21', { logprobs: true, top_logprobs: 21 }, 'top_logprobs'],
  ['[C62] top_logprobs -1', { logprobs: true, top_logprobs: -1 }, 'top_logprobs'],
  ['[C62] top_logprobs without logprobs', { top_logprobs: 2 }, 'top_logprobs'],
  ['[C63] n 0', { n: 0 }, 'n'],
  ['[C63] n 9', { n: 9 }, 'n'],
  ['[C63] n 1.5', { n: 1.5 }, 'n'],
  ['[C64] logit_bias above 100', { logit_bias: { 5: 101 } }, 'logit_bias.5'],
  ['[C64] logit_bias below -100', { logit_bias: { 5: -101 } }, 'logit_bias.5'],
  ['[C64] a fraction in logit_bias', { logit_bias: { 5: 0.5 } }, 'logit_bias.5'],
  ['[C64] logit_bias that is a string', { logit_bias: 'x' }, 'logit_bias'],
  ['[C64] logit_bias that is an array', { logit_bias: [1] }, 'logit_bias'],
];

describe('accepted', () => {
  it.each(ACCEPTED)('%s: 200', async (_, fields) => {
    const answer = await chat(app, fields);
    expect(answer.text).toContain('Hello there, friend.');
    expect(answer.status).toBe(200);
  });
});

describe('refused', () => {
  it.each(REFUSED)('%s: 400', async (_, fields, param) => {
    const { status, json } = await chat(app, fields);
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ type: 'invalid_request_error', param });
    expect(json.error.message).toContain(`\`${param}\``);
  });

  it('[X07] the message names the rule', async () => {
    const { json } = await chat(app, { temperature: 3 });
    expect(json.error).toMatchObject({ param: 'temperature', message: '`temperature` must be at most 2.' });
    const one = await chat(app, { messages: [] });
    expect(one.json.error.message).toBe('`messages` must have at least 1 item.');
    const many = await chat(app, { tools: tools(129) });
    expect(many.json.error.message).toBe('`tools` must have at most 128 items.');
  });

  it('[X08] of several problems the first in field order is reported', async () => {
    const { json } = await chat(app, { n: 99, temperature: 99, messages: [{ role: 'user', content: 5 }], top_k: -5 });
    expect(json.error.param).toBe('messages.0.content');
    const later = await chat(app, { seed: 'x', n: 99, top_k: -5 });
    expect(later.json.error.param).toBe('top_k');
  });

  it.each([
    ['stream_options', { n: 99, top_logprobs: 3, stream_options: {} }],
    ['temperature', { temperature: 9, stream_options: {} }],
    ['top_logprobs', { n: 99, top_logprobs: 3 }],
    ['stream', { stream: 'yes', stream_options: {}, top_logprobs: 3 }],
  ])('[X08] [C36] [C62] rules about two fields stand at their place in field order: %s', async (param, fields) => {
    const { status, json } = await chat(app, fields);
    expect([status, json.error.param]).toEqual([400, param]);
  });

  it('[S13] a streamed request fails before the stream begins', async () => {
    const invalid = await chat(app, { stream: true, temperature: 9 });
    expect(invalid.status).toBe(400);
    expect(invalid.headers.get('content-type')).toContain('application/json');
    const unknown = await chat(app, { stream: true, model: 'nobody' });
    expect(unknown.status).toBe(404);
    expect(unknown.json.error.type).toBe('not_found_error');
  });
});

it('[C75] a model of another task is refused', async () => {
  const { app: mixed } = await buildApp({
    models: [
      { id: 'embed', task: 'embeddings', backend: 'scripted' },
      { id: 'ears', task: 'speech', backend: 'scripted' },
    ],
  });
  for (const model of ['embed', 'ears']) {
    const { status, json } = await post(mixed, '/v1/chat/completions', {
      model,
      messages: [{ role: 'user', content: 'Hi.' }],
    });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: 'model_not_supported', param: 'model' });
  }
});
