/** Schemas of tools and response formats are checked before a model sees them. */
import { expect, it } from 'vitest';
import { buildApp } from '../../../support/build-app.js';
import { chat } from '../support/call.js';

const BROKEN: [string, object][] = [
  ['an unknown type', { type: 'object', properties: { a: { type: 'strin' } } }],
  ['a pattern that is none', { type: 'string', pattern: '(' }],
  ['a reference to nowhere', { $ref: '#/$defs/missing' }],
  ['properties that are no object', { type: 'object', properties: 5 }],
];

it.each(BROKEN)('%s in response_format: 400 with the path', async (_, schema) => {
  const { app } = await buildApp();
  const { status, json } = await chat(app, {
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
  });
  expect(status).toBe(400);
  expect(json.error.param).toMatch(/^response_format\.json_schema\.schema/);
});

it.each(BROKEN)('%s in a tool: 400 with the path', async (_, parameters) => {
  const { app } = await buildApp();
  const tools = [
    { type: 'function', function: { name: 'fine' } },
    { type: 'function', function: { name: 'bad', parameters } },
  ];
  const { status, json } = await chat(app, { tools });
  expect(status).toBe(400);
  expect(json.error.param).toMatch(/^tools\.1\.function\.parameters/);
});

it('[C40] description, schema and strict may be null or absent', async () => {
  const { app } = await buildApp({
    models: [{ id: 'scripted-chat', task: 'chat', backend: 'scripted', script: { replies: [{ text: '{"a": 1}' }] } }],
  });
  for (const fields of [
    {},
    { description: null, schema: null, strict: null },
    { schema: { type: 'object' }, strict: true },
  ]) {
    const { status, json } = await chat(app, {
      response_format: { type: 'json_schema', json_schema: { name: 'x', ...fields } },
    });
    expect(status).toBe(200);
    expect(JSON.parse(json.choices[0].message.content)).toEqual({ a: 1 });
  }
});

it('several tools with one name are one tool', async () => {
  const { app } = await buildApp();
  const same = { type: 'function', function: { name: 'same' } };
  expect((await chat(app, { tools: [same, same] })).status).toBe(200);
});
