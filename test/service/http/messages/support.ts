import type { App } from '../../../../src/service/http/app.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { type Answer, postJson } from '../../../support/http-client.js';

export const TEXT = 'The quick brown fox jumps over the lazy dog.';
export const REASONING = 'Let me think about foxes.';

/** 1 by 1 pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

export const TOOLS = [
  {
    name: 'get_weather',
    description: 'The weather of a city.',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  { name: 'get_time', input_schema: { type: 'object' } },
];

/** Calls a tool when asked for the weather, else talks; reasons when thinking is enabled. */
export const REPLIES: NonNullable<ModelEntry['script']>['replies'] = [
  {
    match: 'weather',
    text: 'Looking.',
    toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris', days: [1, 2] } }],
  },
  {
    match: 'both',
    toolCalls: [
      { name: 'get_weather', arguments: { city: 'Rome' } },
      { name: 'get_time', arguments: {} },
    ],
  },
  { match: 'sunny', text: 'It is sunny in Paris.' },
  { text: TEXT, reasoning: REASONING },
];

export async function build(overrides: Partial<ModelEntry> = {}): Promise<App> {
  const { app } = await buildApp({ models: [scriptedChat({ script: { replies: REPLIES }, ...overrides })] });
  return app;
}

export const user = (content: unknown) => ({ role: 'user', content });

export const valid = { model: 'scripted-chat', max_tokens: 200, messages: [user('Hello')] };

/** Posts a body that should be answered, and gives the message. */
export async function create(body: object = {}, overrides: Partial<ModelEntry> = {}): Promise<any> {
  const answer = await postJson(await build(overrides), '/messages', { ...valid, ...body });
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Posts a body that should be refused with 400 in the dialect's shape; gives the answer. */
export async function refuse(body: object, overrides: Partial<ModelEntry> = {}): Promise<Answer> {
  const answer = await postJson(await build(overrides), '/messages', body);
  const { type, error, request_id: requestId } = answer.body;
  if (answer.status !== 400 || type !== 'error' || error.type !== 'invalid_request_error' || !requestId) {
    throw new Error(`Not refused in the dialect: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return answer;
}
