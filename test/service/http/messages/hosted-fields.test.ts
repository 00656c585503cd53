/** Fields of /messages that stand for what a hosted service keeps or runs. */
import { describe, expect, it } from 'vitest';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { recordingBackend } from '../../../support/recording-backend.js';
import { eventsOf, post } from '../support/call.js';
import { ALL_TASKS, AUDIO_PATHS, audioForm } from '../support/models.js';

const user = (content: unknown) => ({ role: 'user', content });
const body = { model: 'scripted-chat', max_tokens: 50, messages: [user('Hello.')] };

async function build(compatibility: 'service' | 'hosted', replies: object[] = [{ text: 'Four.', reasoning: 'Hm.' }]) {
  const { backend, requests } = recordingBackend();
  const model = scriptedChat({ script: { replies } });
  const { app } = await buildApp({ models: [model], compatibility, backends: { scripted: backend } });
  return { app, requests };
}

describe.each(['service', 'hosted'] as const)('%s', (compatibility) => {
  it('[M33] thread and compaction: 400, unless null', async () => {
    const { app } = await build(compatibility);
    for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
      for (const field of ['thread', 'compaction']) {
        for (const value of [{ id: 'thread_1' }, 'thread_1', true, {}]) {
          const { status, json } = await post(app, path, { ...body, [field]: value });
          expect([status, json.type, json.error.param]).toEqual([400, 'error', field]);
        }
        expect((await post(app, path, { ...body, [field]: null })).status).toBe(200);
      }
    }
  });

  it('thinking.display: "omitted" leaves the thoughts out, whole and streamed', async () => {
    const { app } = await build(compatibility);
    const thinking = { type: 'adaptive', display: 'omitted' };
    const { json } = await post(app, '/v1/messages', { ...body, thinking });
    expect(json.content).toMatchObject([
      { type: 'thinking', thinking: '' },
      { type: 'text', text: 'Four.' },
    ]);
    expect(json.content[0].signature).not.toBe('');
    const { text } = await post(app, '/v1/messages', { ...body, thinking, stream: true });
    expect(eventsOf(text).some(({ json: event }) => event?.delta?.type === 'thinking_delta')).toBe(false);
    const shown = await post(app, '/v1/messages', { ...body, thinking: { ...thinking, display: 'summarized' } });
    expect(shown.json.content[0].thinking).toBe('Hm.');
    expect((await post(app, '/v1/messages', { ...body, thinking: { ...thinking, display: 'x' } })).status).toBe(400);
  });

  it('[M32] a scripted answer goes on with its beginning', async () => {
    const { app, requests } = await build(compatibility, [
      { match: 'Hello', text: 'It is blue today.' },
      { text: 'No.' },
    ]);
    const begun = [user('Hello.'), { role: 'assistant', content: [{ type: 'text', text: 'It is bl \n' }] }];
    const { json } = await post(app, '/v1/messages', { ...body, messages: begun });
    expect(json.content).toMatchObject([{ type: 'text', text: 'ue today.' }]);
    expect(requests[0]).toMatchObject({ continued: true });
    expect((await post(app, '/v1/messages', { ...body, messages: begun.slice(1) })).status).toBe(200);
    const called = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] };
    expect((await post(app, '/v1/messages', { ...body, messages: [user('Hello.'), called] })).status).toBe(200);
    expect(requests.at(-1)).not.toHaveProperty('continued');
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    const refused = await post(app, '/v1/messages', { ...body, messages: begun, thinking });
    expect([refused.status, refused.json.error.param]).toEqual([400, 'messages']);
  });

  it('[M32] a format holds for the beginning and a scripted answer together: 400 where it cannot', async () => {
    const { app } = await build(compatibility, [{ text: '{"sky":"blue"}' }]);
    const output_config = { format: { type: 'json_schema', schema: { type: 'object' } } };
    const ask = (content: string) =>
      post(app, '/v1/messages', { ...body, output_config, messages: [user('Hello.'), { role: 'assistant', content }] });
    expect((await ask('{"sky":')).json.content).toMatchObject([{ type: 'text', text: '"blue"}' }]);
    const { status, json } = await ask('It is');
    expect([status, json.error]).toEqual([
      400,
      {
        type: 'invalid_request_error',
        param: 'messages',
        message: expect.stringContaining('start of the scripted reply'),
      },
    ]);
  });

  it('continue_final_message needs a last message of the assistant', async () => {
    const { app } = await build(compatibility, [{ text: 'It is blue.' }]);
    const ask = (messages: object[], value: unknown) =>
      post(app, '/v1/chat/completions', { model: body.model, messages, continue_final_message: value });
    const begun = [user('Hello.'), { role: 'assistant', content: 'It is' }];
    expect((await ask(begun, true)).json.choices[0].message.content).toBe(' blue.');
    expect((await ask(begun, false)).json.choices[0].message.content).toBe('It is blue.');
    for (const [messages, value] of [
      [body.messages, true],
      [begun, 'yes'],
    ] as const) {
      const { status, json } = await ask(messages, value);
      expect([status, json.error.param]).toEqual([400, 'continue_final_message']);
    }
  });

  it(`[G21] transcripts tell how long the recording is in hosted only`, async () => {
    const { app } = await buildApp({ models: ALL_TASKS, compatibility });
    for (const path of AUDIO_PATHS) {
      for (const format of ['json', 'verbose_json']) {
        const response = await app.request(path, { method: 'POST', body: audioForm({ response_format: format }) });
        const text = await response.text();
        const usage = text.startsWith('{') ? JSON.parse(text).usage : undefined;
        const expected = { type: 'duration', seconds: expect.any(Number) };
        expect([path, format, usage]).toEqual([path, format, compatibility === 'hosted' ? expected : undefined]);
      }
    }
  });
});

it('[G24] tools of types with _toolset_ are left out and named', async () => {
  const { app, requests } = await build('hosted');
  const tools = [
    { type: 'bash_toolset_20260401', name: 'bash' },
    { type: 'mcp_toolset_20260101', mcp_server_name: 'x' },
    { name: 'look', input_schema: { type: 'object' } },
  ];
  const { status, headers } = await post(app, '/v1/messages', { ...body, tools });
  expect([status, headers.get('x-ignored-tools')]).toEqual([200, 'bash_toolset_20260401,mcp_toolset_20260101']);
  expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['look']);
});

it('[G24] unknown blocks inside tool results are read', async () => {
  const block = { type: 'web_page', title: 'Tides', content: [{ type: 'text', text: 'High at noon.' }], data: 'AAAA' };
  const content = [
    { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Found: ' }, block] },
  ];
  const use = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
  const messages = [user('Hello.'), { role: 'assistant', content: [use] }, user(content)];
  const { app, requests } = await build('hosted');
  expect((await post(app, '/v1/messages', { ...body, messages })).status).toBe(200);
  const read = JSON.stringify(requests[0]?.prompt);
  expect(read.split('High at noon.')).toHaveLength(2);
  expect(read).not.toContain('AAAA');
  expect((await post((await build('service')).app, '/v1/messages', { ...body, messages })).status).toBe(400);
  const known = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text' }] }];
  expect((await post(app, '/v1/messages', { ...body, messages: [user(known)] })).status).toBe(400);
});

it('[G24] /responses: additional_tools are offered, configuration_update is named', async () => {
  const { app, requests } = await build('hosted', [{ toolCalls: [{ name: 'look', arguments: {} }] }]);
  const input = [
    { role: 'user', content: 'Hello.' },
    {
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'function', name: 'look', parameters: { type: 'object' } }],
    },
    { type: 'configuration_update', reasoning: { effort: 'high' } },
  ];
  for (const stream of [false, true]) {
    const { status, headers, text } = await post(app, '/v1/responses', { model: body.model, input, stream });
    expect([status, headers.get('x-ignored-items')]).toEqual([200, 'configuration_update']);
    expect(text).toContain('"function_call"');
  }
  expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['look']);
  const { prompt } = requests[0]!;
  expect(prompt).toMatchObject({ messages: [{ role: 'user' }] });
  const plain = await post(app, '/v1/responses', { model: body.model, input: 'Hello.' });
  expect(plain.headers.get('x-ignored-items')).toBeNull();
});
