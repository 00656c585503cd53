/** Names that a client chooses and JavaScript knows too: none may vanish. */
import { describe, expect, it } from 'vitest';
import { post } from './support/call.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { recordingBackend } from '../../support/recording-backend.js';
import { start } from './responses/stored-support.js';

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
const named = (value: unknown): string =>
  `{${NAMES.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;

describe.each(['service', 'hosted'] as const)('names that JavaScript knows too (%s)', (compatibility) => {
  it('stay in `metadata` of conversations and responses', async () => {
    const app = await start({ store: 'memory', compatibility });
    const { json: made } = await post(app, '/v1/conversations', `{"metadata":${named('x')}}`);
    expect(JSON.stringify(made.metadata)).toBe(named('x'));
    const found = await (await app.request(`/v1/conversations/${made.id}`)).json();
    expect(JSON.stringify(found.metadata)).toBe(named('x'));
    const answer = await post(app, '/v1/responses', `{"model":"scripted-chat","input":"Hi","metadata":${named('x')}}`);
    expect(JSON.stringify(answer.json.metadata)).toBe(named('x'));
    const refused = await post(app, '/v1/conversations', '{"metadata":{"constructor":1}}');
    expect([refused.status, refused.json.error.param]).toEqual([400, 'metadata.constructor']);
  });

  it('stay in questions and options of decisions', async () => {
    const { app } = await buildApp({ models: [scriptedChat()], compatibility });
    const body = `{"model":"scripted-chat","state":"s","questions":${named({ type: 'choice', criteria: 0 }).replaceAll(':0}', `:${named('x')}}`)}}`;
    const { status, json } = await post(app, '/v1/systemone', body);
    expect([status, Object.keys(json.answers)]).toEqual([200, NAMES]);
    for (const name of NAMES) {
      expect(Object.keys(Object.getOwnPropertyDescriptor(json.answers, name)!.value.probabilities)).toEqual(NAMES);
    }
  });

  it('stay in the arguments of calls and in the schemas of tools', async () => {
    const { backend, requests } = recordingBackend();
    const { app } = await buildApp({ models: [scriptedChat()], compatibility, backends: { scripted: backend } });
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: 'INPUT' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
    ];
    const tools = [{ name: 'f', input_schema: { type: 'object', properties: 'INPUT' } }];
    const body = JSON.stringify({ model: 'scripted-chat', max_tokens: 5, messages, tools });
    const { status } = await post(app, '/v1/messages', body.replaceAll('"INPUT"', named({ type: 'string' })));
    expect(status).toBe(200);
    const sent = JSON.stringify(requests[0]);
    for (const name of NAMES) expect(sent.split(name).length).toBeGreaterThan(2);
  });
});
