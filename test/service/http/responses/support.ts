import type { App } from '../../../../src/service/http/app.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { type Answer, postJson } from '../../../support/http-client.js';

export const TEXT = 'The quick brown fox jumps over the lazy dog.';
export const REASONING = 'Let me think about foxes.';

export const TOOLS = [
  {
    type: 'function',
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    strict: true,
  },
  { type: 'function', name: 'get_time' },
];

/** Calls a tool when asked for the weather, else talks; reasons when an effort is named. */
export const REPLIES: NonNullable<ModelEntry['script']>['replies'] = [
  { match: 'weather', text: 'Looking.', toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] },
  {
    match: 'both',
    toolCalls: [
      { name: 'get_weather', arguments: { city: 'Rome' } },
      { name: 'get_time', arguments: {} },
    ],
  },
  { match: 'sunny', text: 'It is sunny in Paris.' },
  { match: 'JSON', text: '{"a": 1}' },
  { text: TEXT, reasoning: REASONING },
];

export async function build(overrides: Partial<ModelEntry> = {}): Promise<App> {
  const { app } = await buildApp({ models: [scriptedChat({ script: { replies: REPLIES }, ...overrides })] });
  return app;
}

export const valid = { model: 'scripted-chat', input: 'Hello' };

/** Posts a body that should be answered, and gives the response object. */
export async function create(body: object = {}, overrides: Partial<ModelEntry> = {}): Promise<any> {
  const answer = await postJson(await build(overrides), '/responses', { ...valid, ...body });
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Posts a body that should be refused with 400 in the general shape; gives the `error`. */
export async function refuse(body: object, overrides: Partial<ModelEntry> = {}): Promise<any> {
  const answer: Answer = await postJson(await build(overrides), '/responses', body);
  if (answer.status !== 400 || answer.body.error.type !== 'invalid_request_error' || !answer.body.request_id) {
    throw new Error(`Not refused: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return answer.body.error;
}

export const itemsOf = (response: any, type: string): any[] =>
  response.output.filter((item: any) => item.type === type);
export const textOf = (response: any): string => itemsOf(response, 'message')[0].content[0].text;
