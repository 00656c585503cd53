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

/** A schema of each kind that no grammar expresses, and the keyword that is left out of it. */
const INEXPRESSIBLE: [what: string, keyword: string, schema: object][] = [
  ['a set, as pydantic writes it', 'uniqueItems', SET],
  ['what may not be', 'not', { type: 'string', not: { const: 'x' } }],
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  ['a condition', 'if', { type: 'object', if: { required: ['a'] }, then: { required: ['b'] } }],
  ['a member that needs another', 'dependentRequired', { type: 'object', dependentRequired: { a: ['b'] } }],
  ['a member that must be somewhere', 'contains', { type: 'array', contains: { type: 'string' } }],
  ['alternatives that overlap', 'oneOf', { oneOf: [{ type: 'number' }, { type: 'integer' }] }],
  ['a border of words', 'pattern', { type: 'string', pattern: 'a\\bc|\\bx' }],
  ['a flag in a pattern', 'pattern', { type: 'string', pattern: '(?i)abc' }],
  ['repeats over 1,000', 'pattern', { type: 'string', pattern: 'a{2000}' }],
  ['a schema on another server', '$ref', { $ref: 'https://example.org/a.json' }],
  ['a schema by its anchor', '$ref', { $ref: '#word' }],
  ['an open bound of draft 4', 'exclusiveMinimum', { type: 'number', minimum: 3, exclusiveMinimum: true }],
  ['an open upper bound of draft 4', 'exclusiveMaximum', { type: 'number', maximum: 3, exclusiveMaximum: true }],
  ['a list of names that is null', 'required', { type: 'object', required: null }],
];

describe.each(INEXPRESSIBLE)('[G14] %s (`%s`)', (_, keyword, schema) => {
  const parameters = { type: 'object', properties: { value: schema } };
  const [, path, chat] = ENDPOINTS[0]!;

  it('is offered without what cannot be kept, which is named', async () => {
    const { status, headers } = await ask(path, chat({ parameters }));
    expect([status, headers.get('x-ignored-schema-keywords')]).toEqual([200, keyword]);
  });

  it('is refused by name in a strict tool', async () => {
    const { status, json } = await ask(path, chat({ parameters, strict: true }));
    expect([status, json.error.message]).toEqual([400, expect.stringContaining(keyword)]);
  });

  it('is not looked at where nothing may be called', async () => {
    const { status, headers } = await ask(path, chat({ parameters, strict: true, none: true }));
    expect([status, headers.get('x-ignored-schema-keywords')]).toEqual([200, null]);
  });

  it('is refused by name as the schema of an answer', async () => {
    const format = { type: 'json_schema', json_schema: { name: 'a', schema: parameters } };
    const body = { messages: [{ role: 'user', content: 'Go.' }], response_format: format };
    const { status, json } = await ask(path, body);
    expect([status, json.error.message]).toEqual([400, expect.stringContaining(keyword)]);
  });
});
