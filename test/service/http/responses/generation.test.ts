import { expect, it } from 'vitest';
import { postJson } from '../../../support/http-client.js';
import { build, create, itemsOf, REASONING, refuse, TEXT, textOf, TOOLS, valid } from './support.js';

const WEATHER = { input: 'How is the weather?', tools: TOOLS };
const BOTH = { input: 'both', tools: TOOLS };
const SCHEMA = {
  type: 'json_schema',
  name: 'answer',
  schema: { type: 'object', properties: { a: { type: 'number' } } },
};

it('[R08] max_output_tokens cuts: incomplete', async () => {
  const response = await create({ max_output_tokens: 4 });
  expect(response).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    completed_at: null,
    max_output_tokens: 4,
  });
  expect(response.usage.output_tokens).toBeLessThanOrEqual(4);
  expect(TEXT.startsWith(textOf(response))).toBe(true);
  expect(response.output[0].status).toBe('incomplete');
});

it('[R08] a cut call and cut JSON are incomplete, too', async () => {
  const { usage } = await create(WEATHER);
  const call = await create({ ...WEATHER, max_output_tokens: usage.output_tokens - 8 });
  expect(call).toMatchObject({ status: 'incomplete', output: [{}, { type: 'function_call', status: 'incomplete' }] });
  const json = await create({ input: 'JSON', text: { format: SCHEMA }, max_output_tokens: 2 });
  expect(json).toMatchObject({ status: 'incomplete', output: [{ status: 'incomplete' }] });
});

it('[R16] parallel_tool_calls is echoed and honoured', async () => {
  expect(typeof (await create()).parallel_tool_calls).toBe('boolean');
  const many = await create({ ...BOTH, parallel_tool_calls: true });
  expect([many.parallel_tool_calls, itemsOf(many, 'function_call').length]).toEqual([true, 2]);
  const one = await create({ ...BOTH, parallel_tool_calls: false });
  expect([one.parallel_tool_calls, itemsOf(one, 'function_call').length]).toEqual([false, 1]);
});

it('[R17] text.format is honoured and echoed', async () => {
  expect((await create()).text.format).toEqual({ type: 'text' });
  for (const format of [{ type: 'json_object' }, SCHEMA]) {
    const response = await create({ input: 'JSON', text: { format } });
    expect(response.text.format).toEqual(format);
    expect(JSON.parse(textOf(response))).toEqual({ a: 1 });
  }
  expect((await refuse({ ...valid, text: { format: { type: 'xml' } } })).param).toBe('text.format.type');
  const impossible = { ...SCHEMA, schema: { type: 'triangle' } };
  expect((await refuse({ ...valid, text: { format: impossible } })).param).toMatch(/^text\.format\.schema/);
});

it('[R17] an answer that is no JSON although it should be has failed', async () => {
  expect(await create({ text: { format: SCHEMA } })).toMatchObject({
    status: 'failed',
    error: { code: 'model_output_invalid', message: expect.any(String) },
  });
});

it('[R22] a response has its fields', async () => {
  const response = await create();
  expect(response).toMatchObject({
    id: expect.stringMatching(/^resp_/),
    object: 'response',
    status: 'completed',
    model: 'scripted-chat',
    output: [{}],
    usage: {},
    error: null,
  });
  expect(response.created_at).toBeLessThanOrEqual(response.completed_at);
  expect(Math.abs(response.created_at - Date.now() / 1000)).toBeLessThan(60);
});

it('[R23] text is a message item', async () => {
  expect((await create()).output).toMatchObject([
    {
      type: 'message',
      id: expect.stringMatching(/^msg_/),
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: TEXT }],
    },
  ]);
});

it('[R24] reasoning is an item before the message', async () => {
  const response = await create({ reasoning: { effort: 'medium' } });
  expect(response.output).toMatchObject([
    {
      type: 'reasoning',
      id: expect.stringMatching(/^rs_/),
      summary: [],
      content: [{ type: 'reasoning_text', text: REASONING }],
    },
    { type: 'message' },
  ]);
  expect(response.usage.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
});

it('[R25] calls are function_call items with ids of their own', async () => {
  const calls = itemsOf(await create(BOTH), 'function_call');
  expect(calls.map(({ name, arguments: json }) => [name, JSON.parse(json)])).toEqual([
    ['get_weather', { city: 'Rome' }],
    ['get_time', {}],
  ]);
  expect(new Set(calls.flatMap(({ id, call_id: callId }) => [id, callId])).size).toBe(4);
});

it('[R26] usage adds up', async () => {
  const { usage } = await create();
  expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
  expect(usage).toMatchObject({
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  });
});

it('[R28] tool_choice is honoured', async () => {
  expect(itemsOf(await create({ ...WEATHER, tool_choice: 'none' }), 'function_call')).toEqual([]);
  for (const tool_choice of ['auto', 'required', { type: 'function', name: 'get_weather' }]) {
    const response = await create({ ...WEATHER, tool_choice });
    expect(itemsOf(response, 'function_call')).toHaveLength(1);
    expect(response.tool_choice).toEqual(tool_choice);
  }
});

it('[R28] a forced choice that the model does not satisfy is an error', async () => {
  expect((await refuse({ ...valid, tools: TOOLS, tool_choice: 'required' })).code).toBe('tool_choice_unsatisfied');
});

it('gives log-probabilities when they are included', async () => {
  const response = await create({ include: ['message.output_text.logprobs'], top_logprobs: 2 });
  const { logprobs } = response.output[0].content[0];
  expect(logprobs.map(({ token }: any) => token).join('')).toBe(TEXT);
  expect(logprobs[0].top_logprobs).toHaveLength(2);
});

it('a reply can be sent back as it came', async () => {
  const app = await build();
  const first = (await postJson(app, '/responses', { ...valid, ...WEATHER, reasoning: { effort: 'low' } })).body;
  const [{ call_id: callId }] = itemsOf(first, 'function_call');
  const input = [
    { role: 'user', content: WEATHER.input },
    ...first.output,
    { type: 'function_call_output', call_id: callId, output: '{"sky":"sunny"}' },
  ];
  const second = (await postJson(app, '/responses', { ...valid, ...WEATHER, input })).body;
  expect(textOf(second)).toBe('It is sunny in Paris.');
});
