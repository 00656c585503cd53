/** The form of calls before there were tools. */
import { describe, expect, it } from 'vitest';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { recordingBackend } from '../../../support/recording-backend.js';
import { chat, chatStream, deltasOf } from '../support/call.js';

const LOOK = {
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
};
const CALL = { name: 'look', arguments: { at: 'the sea' } };
const user = { role: 'user', content: 'Look.' };

async function build(compatibility: 'service' | 'hosted' = 'service') {
  const { backend, requests } = recordingBackend();
  const script = { replies: [{ match: 'blue', text: 'It is blue.' }, { toolCalls: [CALL, CALL] }] };
  const { app } = await buildApp({
    models: [scriptedChat({ script })],
    compatibility,
    backends: { scripted: backend },
  });
  return { app, requests };
}

describe.each(['service', 'hosted'] as const)('%s', (compatibility) => {
  it('[C69] [C77] functions are offered as tools, and a call is answered in their form', async () => {
    const { app, requests } = await build(compatibility);
    const { status, json } = await chat(app, { messages: [user], functions: [LOOK] });
    const [{ message, finish_reason: reason }] = json.choices;
    expect([status, reason, json.usage.stop_reason]).toEqual([200, 'function_call', 'function_call']);
    expect(message).toMatchObject({ content: null, function_call: { name: 'look', arguments: expect.any(String) } });
    expect(message).not.toHaveProperty('tool_calls');
    expect(JSON.parse(message.function_call.arguments)).toEqual(CALL.arguments);
    expect(requests[0]).toMatchObject({ tools: [LOOK], toolChoice: 'auto', parallelToolCalls: false });
  });

  it('[C77] streamed: the name first, then the arguments in pieces', async () => {
    const { app } = await build(compatibility);
    const events = await chatStream(app, { messages: [user], functions: [LOOK] });
    const calls = deltasOf(events).flatMap(({ function_call: call }) => call ?? []);
    expect(calls[0]).toEqual({ name: 'look', arguments: '' });
    expect(calls.slice(1).every((call) => Object.keys(call).join() === 'arguments')).toBe(true);
    expect(JSON.parse(calls.map((call) => call.arguments).join(''))).toEqual(CALL.arguments);
    const reasons = events.flatMap(({ json }) => json?.choices?.[0]?.finish_reason ?? []);
    expect(reasons).toEqual(['function_call']);
  });
});

it('[C77] function_call chooses', async () => {
  const { app, requests } = await build();
  for (const choice of ['none', 'auto', { name: 'look' }, null]) {
    expect((await chat(app, { messages: [user], functions: [LOOK], function_call: choice })).status).toBe(200);
  }
  expect(requests.map(({ toolChoice }) => toolChoice)).toEqual(['none', 'auto', { name: 'look' }, 'auto']);
  const wrong: [unknown, string][] = [
    [{ name: 'other' }, 'function_call.name'],
    ['required', 'function_call'],
    [{}, 'function_call.name'],
  ];
  for (const [choice, param] of wrong) {
    const { status, json } = await chat(app, { messages: [user], functions: [LOOK], function_call: choice });
    expect([status, json.error.param]).toEqual([400, param]);
  }
});

it('[C77] beside tools, or wrong in themselves: 400', async () => {
  const { app } = await build();
  const tools = [{ type: 'function', function: LOOK }];
  const wrong: [object, string][] = [
    [{ functions: [LOOK], tools }, 'functions'],
    [{ functions: [] }, 'functions'],
    [{ functions: 'look' }, 'functions'],
    [{ functions: [{}] }, 'functions.0.name'],
    [{ functions: [{ name: 'a b' }] }, 'functions.0.name'],
    [{ functions: [{ name: 'a', parameters: 5 }] }, 'functions.0.parameters'],
  ];
  for (const [fields, param] of wrong) {
    const { status, json } = await chat(app, { messages: [user], ...fields });
    expect([status, json.error.param]).toEqual([400, param]);
  }
});

it('[C03] [C77] a message of the role function is the result of the last call of that name', async () => {
  const { app, requests } = await build();
  const called = { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{"at":"sky"}' } };
  const result = { role: 'function', name: 'look', content: 'blue' };
  const messages = [user, called, { ...result, content: 'grey' }, { ...called, content: undefined }, result];
  const { status, json } = await chat(app, { messages, functions: [LOOK] });
  expect([status, json.choices[0].message.content]).toEqual([200, 'It is blue.']);
  const { prompt } = requests[0]!;
  const turns = prompt.type === 'chat' ? prompt.messages : [];
  const ids = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.toolCalls.map(({ id }) => id) : []));
  expect(new Set(ids).size).toBe(2);
  expect(turns.flatMap((turn) => (turn.role === 'tool' ? turn.toolCallId : []))).toEqual(ids);
  const lost = await chat(app, { messages: [user, { ...result, name: 'other' }] });
  expect([lost.status, lost.json.error.param]).toEqual([400, 'messages.1.name']);
});

it('who speaks, and what a model declined with, reach the request', async () => {
  const { app, requests } = await build();
  const messages = [
    { role: 'system', name: 'rules', content: 'Be brief.' },
    { role: 'user', name: 'Ada', content: 'Hi.' },
    { role: 'assistant', name: 'Bo', content: null, refusal: 'I cannot.' },
    { role: 'assistant', refusal: 'Still not.' },
    { role: 'user', content: 'blue' },
  ];
  expect((await chat(app, { messages })).status).toBe(200);
  const { prompt } = requests[0]!;
  expect(prompt).toMatchObject({
    messages: [
      { name: 'rules' },
      { name: 'Ada' },
      { name: 'Bo', content: [{ type: 'text', text: 'I cannot.' }] },
      { content: [{ type: 'text', text: 'Still not.' }] },
      {},
    ],
  });
});

it('[G18] modalities with audio: 400 in hosted', async () => {
  const { app } = await build('hosted');
  const { status, json } = await chat(app, { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } });
  expect([status, json.error.param]).toEqual([400, 'modalities']);
  expect(json.error.message).toContain('/audio/speech');
  for (const modalities of [['text'], null])
    expect((await chat(app, { messages: [user], modalities })).status).toBe(200);
  expect((await chat((await build()).app, { messages: [user], modalities: ['audio'] })).status).toBe(200);
});
