import { expect, it } from 'vitest';
import { buildApp } from '../../../support/build-app.js';
import { postJson } from '../../../support/http-client.js';
import { build, create, itemsOf, refuse, REPLIES, TEXT, textOf, TOOLS, valid } from './support.js';

it('[R01] a missing model is a missing required field', async () => {
  expect(await refuse({ input: 'Hello' })).toMatchObject({ code: 'missing_required_field', param: 'model' });
});

it('[R02] a missing input is a missing required field', async () => {
  expect(await refuse({ model: 'scripted-chat' })).toMatchObject({ code: 'missing_required_field', param: 'input' });
});

it('[R03] a string is one user message; another type is refused', async () => {
  const asItems = await create({ input: [{ role: 'user', content: 'Hello' }] });
  const asString = await create();
  expect(textOf(asString)).toBe(textOf(asItems));
  expect(asString.usage).toEqual(asItems.usage);
  for (const input of [5, true, { role: 'user' }]) expect((await refuse({ ...valid, input })).param).toBe('input');
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
  expect((await refuse({ ...valid, input: [{ role: 'wizard', content: 'a' }] })).param).toBe('input.0.role');
  const broken = [{ role: 'user', content: [{ type: 'input_text' }] }];
  expect((await refuse({ ...valid, input: broken })).param).toBe('input.0.content.0.text');
  expect((await refuse({ ...valid, input: [{ type: 'telegram' }] })).param).toBe('input.0.type');
});

const CALL = { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' };

it('[R05] input takes function calls and their outputs', async () => {
  for (const output of ['It is sunny.', [{ type: 'input_text', text: 'It is sunny.' }]]) {
    const result = { type: 'function_call_output', call_id: 'call_1', output };
    const input = [{ role: 'user', content: 'How?' }, { ...CALL, id: 'fc_1', status: 'completed' }, result];
    expect(textOf(await create({ input, tools: TOOLS }))).toBe('It is sunny in Paris.');
  }
  const nameless = [{ type: 'function_call_output', output: 'x' }];
  expect((await refuse({ ...valid, input: nameless })).param).toBe('input.0.call_id');
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

it('[R09] temperature is 0 to 2', async () => {
  for (const temperature of [-0.1, 2.1]) expect((await refuse({ ...valid, temperature })).param).toBe('temperature');
  expect((await create({ temperature: 1.5 })).temperature).toBe(1.5);
});

it('[R10] top_p is 0 to 1', async () => {
  for (const top_p of [-0.1, 1.1]) expect((await refuse({ ...valid, top_p })).param).toBe('top_p');
  expect((await create({ top_p: 1 })).status).toBe('completed');
});

it('[R11] top_k has no lower bound here', async () => {
  for (const top_k of [-1, 0, 1, 40]) expect((await create({ top_k })).status).toBe('completed');
  for (const top_k of [1.5, 'x']) expect((await refuse({ ...valid, top_k })).param).toBe('top_k');
});

it('[R13] tools are flat and echoed', async () => {
  const { tools } = await create({ tools: TOOLS });
  expect(tools).toMatchObject(TOOLS);
  const nested = { type: 'function', function: { name: 'get_weather' } };
  expect((await refuse({ ...valid, tools: [nested] })).param).toBe('tools.0.name');
});

it('[R14] there are at most 128 tools', async () => {
  const tools = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ type: 'function', name: `tool_${index}` }));
  expect((await refuse({ ...valid, tools: tools(129) })).param).toBe('tools');
  expect((await create({ tools: tools(128) }, { contextLength: 100_000 })).status).toBe('completed');
});

it('[R15] built-in tools are refused', async () => {
  for (const type of ['web_search', 'file_search', 'code_interpreter', 'mcp', 'image_generation']) {
    const tools = [TOOLS[0], { type, name: 'x' }];
    expect(await refuse({ ...valid, tools })).toMatchObject({ code: 'unsupported_tool_type', param: 'tools.1.type' });
  }
});

it('[R15] a built-in tool is reported in its place: after problems of fields before it, before those behind', async () => {
  const tools = [{ type: 'web_search' }];
  expect(await refuse({ input: 'Hi', tools })).toMatchObject({ code: 'missing_required_field', param: 'model' });
  expect(await refuse({ ...valid, temperature: 9, tools })).toMatchObject({ code: null, param: 'temperature' });
  expect(await refuse({ ...valid, tools: [{ type: 'function' }, ...tools] })).toMatchObject({ param: 'tools.0.name' });
  expect(await refuse({ ...valid, tools, user: 5 })).toMatchObject({ code: 'unsupported_tool_type' });
  for (const type of [undefined, 5])
    expect(await refuse({ ...valid, tools: [{ type }] })).toMatchObject({ code: null, param: 'tools.0.type' });
});

it('[R18] efforts are accepted on every model', async () => {
  for (const effort of ['low', 'medium', 'high']) {
    expect((await create({ reasoning: { effort } }, { reasoningFormat: 'none' })).reasoning.effort).toBe(effort);
  }
  expect((await refuse({ ...valid, reasoning: { effort: 'huge' } })).param).toBe('reasoning.effort');
  for (const effort of ['xhigh', 'max']) {
    const response = await create({ reasoning: { effort } });
    expect(response.reasoning.effort).toBe(effort);
    expect(itemsOf(response, 'reasoning')).toHaveLength(1);
  }
});

it('[R19] user and metadata are echoed', async () => {
  const echoed = { user: 'u-1', metadata: { topic: 'foxes' } };
  expect(await create(echoed)).toMatchObject(echoed);
  expect((await refuse({ ...valid, metadata: { a: 'b', c: 5 } })).param).toBe('metadata.c');
});

it('[R20] previous_response_id is refused', async () => {
  expect((await refuse({ ...valid, previous_response_id: 'resp_1' })).param).toBe('previous_response_id');
  expect((await create({ previous_response_id: null })).status).toBe('completed');
});

it('[R21] store: true is refused', async () => {
  expect((await refuse({ ...valid, store: true })).param).toBe('store');
  for (const store of [false, null, undefined]) expect((await create({ store })).store).toBe(false);
});

it('[R27] a model that generates no text is unsupported', async () => {
  for (const task of ['embeddings', 'speech'] as const) {
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
