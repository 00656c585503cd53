import { expect, it } from 'vitest';
import { buildApp } from '../../../support/build-app.js';
import { postJson } from '../../../support/http-client.js';
import { build, create, itemsOf, refuse, REPLIES, TEXT, textOf, TOOLS, valid } from './support.js';

it('[R03] a string is one user message', async () => {
  const asItems = await create({ input: [{ role: 'user', content: 'Hello' }] });
  const asString = await create();
  expect(textOf(asString)).toBe(textOf(asItems));
  expect(asString.usage).toEqual(asItems.usage);
});

it('[R04] input takes messages with text parts, in order', async () => {
  const input = [
    { role: 'system', content: 'Be kind.' },
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be short.' }] },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'How is ' },
        { type: 'input_text', text: 'it?' },
      ],
    },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Cloudy.', annotations: [] }],
    },
    // The scripted model answers the last message.
    { role: 'user', content: [{ type: 'input_text', text: 'No, it is sunny.' }] },
  ];
  expect(textOf(await create({ input }))).toBe('It is sunny in Paris.');
  expect(textOf(await create({ input: input.toReversed() }))).toBe(TEXT);
});

const CALL = { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' };

it('[R05] input takes function calls and their outputs', async () => {
  for (const output of ['It is sunny.', [{ type: 'input_text', text: 'It is sunny.' }]]) {
    const result = { type: 'function_call_output', call_id: 'call_1', output };
    const input = [{ role: 'user', content: 'How?' }, { ...CALL, id: 'fc_1', status: 'completed' }, result];
    expect(textOf(await create({ input, tools: TOOLS }))).toBe('It is sunny in Paris.');
  }
});

it('[R06] input takes reasoning items', async () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] };
  const input = [
    { role: 'user', content: 'How?' },
    reasoning,
    CALL,
    { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Easy.' }] },
  ];
  expect((await create({ input, tools: TOOLS })).status).toBe('completed');
});

it('[R07] instructions are prepended and echoed', async () => {
  const response = await create({ instructions: 'Be kind.' });
  expect(response.instructions).toBe('Be kind.');
  const asItem = await create({
    input: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hello' },
    ],
  });
  expect(response.usage.input_tokens).toBe(asItem.usage.input_tokens);
  expect((await create()).instructions).toBeNull();
});

it('what changes nothing is echoed as it was asked for', async () => {
  const asked = { truncation: 'auto', max_tool_calls: 3, prompt_cache_key: 'key', safety_identifier: 'somebody' };
  expect(await create(asked)).toMatchObject(asked);
  const none = { truncation: 'disabled', max_tool_calls: null, prompt_cache_key: null, safety_identifier: null };
  expect(await create()).toMatchObject(none);
  const wrong = { truncation: 5, max_tool_calls: 'many', prompt_cache_key: {}, safety_identifier: 1 };
  expect(await create(wrong)).toMatchObject(none);
});

it('[R13] tools are flat and echoed', async () => {
  const { tools } = await create({ tools: TOOLS });
  expect(tools).toMatchObject(TOOLS);
});

it('[R14] there are at most 128 tools', async () => {
  const tools = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ type: 'function', name: `tool_${index}` }));
  expect((await refuse({ ...valid, tools: tools(129) })).param).toBe('tools');
  expect((await create({ tools: tools(128) }, { contextLength: 100_000 })).status).toBe('completed');
});

it('[R18] efforts are accepted on every model', async () => {
  for (const effort of ['low', 'medium', 'high']) {
    expect((await create({ reasoning: { effort } }, { reasoningFormat: 'none' })).reasoning.effort).toBe(effort);
  }
  for (const effort of ['xhigh', 'max']) {
    const response = await create({ reasoning: { effort } });
    expect(response.reasoning.effort).toBe(effort);
    expect(itemsOf(response, 'reasoning')).toHaveLength(1);
  }
});

it('[R27] a model that generates no text is unsupported', async () => {
  for (const task of ['embeddings', 'speech-to-text'] as const) {
    expect((await refuse(valid, { task })).code).toBe('unsupported_model');
  }
});

it('[R28] tool_choice is one of four forms', async () => {
  for (const tool_choice of ['always', { type: 'function' }, { type: 'web_search' }]) {
    expect((await refuse({ ...valid, tools: TOOLS, tool_choice })).param).toMatch(/^tool_choice/);
  }
  const unknown = { type: 'function', name: 'unknown' };
  expect((await refuse({ ...valid, tools: TOOLS, tool_choice: unknown })).param).toBe('tool_choice.name');
});

it('[R28] allowed_tools narrows the tools down', async () => {
  const allow = (mode: string, ...names: string[]) => ({
    type: 'allowed_tools',
    mode,
    tools: names.map((name) => ({ type: 'function', name })),
  });
  const ask = { input: 'How is the weather?', tools: TOOLS };
  const response = await create({ ...ask, tool_choice: allow('required', 'get_weather') });
  expect(itemsOf(response, 'function_call')).toMatchObject([{ name: 'get_weather' }]);
  expect(response.tools).toHaveLength(2);
  expect(response.tool_choice).toEqual(allow('required', 'get_weather'));
  // Fewer tools make a shorter prompt; none are no tools at all.
  const all = await create({ ...ask, tool_choice: 'auto' });
  const one = await create({ ...ask, tool_choice: allow('auto', 'get_time') });
  const none = await create({ ...ask, tool_choice: allow('auto') });
  expect(one.usage.input_tokens).toBeLessThan(all.usage.input_tokens);
  expect(none.usage.input_tokens).toBe((await create({ input: ask.input })).usage.input_tokens);
  for (const [tool_choice, param] of [
    [allow('auto', 'get_time', 'unknown'), 'tool_choice.tools.1.name'],
    [allow('required'), 'tool_choice'],
    [allow('none', 'get_time'), 'tool_choice.mode'],
  ] as const) {
    expect((await refuse({ ...valid, ...ask, tool_choice })).param).toBe(param);
  }
});

it('[R29] a prompt longer than the context is refused', async () => {
  const error = await refuse({ ...valid, input: 'word '.repeat(100) }, { contextLength: 16 });
  expect(error.code).toBe('context_length_exceeded');
});

it('[R30] nothing is stored', async () => {
  const { app } = await buildApp({
    models: [{ id: 'scripted-chat', task: 'chat', backend: 'scripted', script: { replies: REPLIES } }],
  });
  const { id } = (await postJson(app, '/responses', valid)).body;
  const response = await app.request(`/v1/responses/${id}`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { type: 'not_found_error' }, request_id: expect.any(String) });
});

it('images go to models with eyes only', async () => {
  const image = { type: 'input_image', image_url: 'https://example.com/a.png' };
  expect((await refuse({ ...valid, input: [{ role: 'user', content: [image] }] })).code).toBe('invalid_media');
});

it('other requests for state are refused', async () => {
  for (const [param, value] of [
    ['conversation', 'c'],
    ['prompt', { id: 'p' }],
    ['background', true],
  ] as const) {
    expect((await refuse({ ...valid, [param]: value })).param).toBe(param);
  }
});

it('removed and unknown models have the endpoint’s errors', async () => {
  const app = await build({ status: 'removed' });
  expect(await postJson(app, '/responses', valid)).toMatchObject({
    status: 410,
    body: { error: { type: 'internal_error', code: 'internal_error', param: null } },
  });
  expect(itemsOf(await create(), 'message')).toHaveLength(1);
  expect((await postJson(app, '/responses', { ...valid, model: 'nobody' })).status).toBe(404);
});
