/** Tools whose schemas a grammar cannot express, on every endpoint that takes tools. */
import { describe, expect, it } from 'vitest';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { post } from '../support/call.js';

const SET = { type: 'array', items: { type: 'string' }, uniqueItems: true };
const PARAMETERS = { type: 'object', properties: { tags: SET, kind: { not: { const: 'x' } } }, required: null };
const named = { name: 'tag', description: 'Sets tags.' };

type Ask = (more: { strict?: boolean; none?: boolean; parameters?: object }) => object;

const ENDPOINTS: [string, string, Ask][] = [
  [
    'chat completions',
    '/v1/chat/completions',
    ({ strict, none, parameters = PARAMETERS }) => ({
      messages: [{ role: 'user', content: 'Go.' }],
      tools: [{ type: 'function', function: { ...named, parameters, strict } }],
      ...(none && { tool_choice: 'none' }),
    }),
  ],
  [
    'messages',
    '/v1/messages',
    ({ strict, none, parameters = PARAMETERS }) => ({
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Go.' }],
      tools: [{ ...named, input_schema: parameters, strict }],
      ...(none && { tool_choice: { type: 'none' } }),
    }),
  ],
  [
    'responses',
    '/v1/responses',
    ({ strict, none, parameters = PARAMETERS }) => ({
      store: false,
      input: 'Go.',
      tools: [{ type: 'function', ...named, parameters, strict }],
      ...(none && { tool_choice: 'none' }),
    }),
  ],
];

async function ask(path: string, body: object, compatibility: 'service' | 'hosted' = 'hosted') {
  const { app } = await buildApp({ models: [scriptedChat()], compatibility });
  return post(app, path, { model: 'scripted-chat', ...body });
}

describe.each(ENDPOINTS)('%s', (_, path, request) => {
  it.each([false, true])('[G14] is answered, and names what is left out (stream: %s)', async (stream) => {
    const { status, headers } = await ask(path, { ...request({}), stream });
    expect([status, headers.get('x-ignored-schema-keywords')]).toEqual([200, 'required,uniqueItems,not']);
  });

  it('[G14] names nothing where all is kept', async () => {
    const { status, headers } = await ask(path, request({ parameters: { type: 'object', properties: {} } }));
    expect([status, headers.get('x-ignored-schema-keywords')]).toEqual([200, null]);
  });

  it('[G14] refuses a strict tool', async () => {
    expect((await ask(path, request({ strict: true }))).status).toBe(400);
  });

  it('[G14] does not look at schemas where nothing may be called', async () => {
    const { status, headers } = await ask(path, request({ none: true, strict: true }));
    expect([status, headers.get('x-ignored-schema-keywords')]).toEqual([200, null]);
  });

  it('[C56] refuses it elsewhere', async () => {
    expect((await ask(path, request({}), 'service')).status).toBe(400);
  });
});

it('[G14] refuses such a schema of an answer', async () => {
  const schema = { type: 'object', properties: { tags: SET } };
  const format = { type: 'json_schema', json_schema: { name: 'a', schema } };
  const body = { messages: [{ role: 'user', content: 'Go.' }], response_format: format };
  expect((await ask('/v1/chat/completions', body)).status).toBe(400);
});
