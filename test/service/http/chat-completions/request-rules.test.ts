/** What the body of a chat completion may be, beside the pairs in `cases/chat-completions.json`. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../../src/service/http/app.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { chat, post } from '../support/call.js';

let app: App;
beforeAll(async () => {
  ({ app } = await buildApp({
    models: [scriptedChat({ contextLength: 20_000 })],
    rateLimits: { requestsPerMinute: 100_000 },
  }));
});

const tools = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ type: 'function', function: { name: `tool_${index}` } }));

it('[C51] 128 tools: 200', async () => {
  const answer = await chat(app, { tools: tools(128) });
  expect(answer.text).toContain('Hello there, friend.');
  expect(answer.status).toBe(200);
});

describe('refused', () => {
  it('[C51] 129 tools: 400', async () => {
    const { status, json } = await chat(app, { tools: tools(129) });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ type: 'invalid_request_error', param: 'tools' });
    expect(json.error.message).toContain('`tools`');
  });

  it('[X07] the message names the rule', async () => {
    const { json } = await chat(app, { temperature: 3 });
    expect(json.error).toMatchObject({ param: 'temperature', message: '`temperature` must be at most 2.' });
    const one = await chat(app, { messages: [] });
    expect(one.json.error.message).toBe('`messages` must have at least 1 item.');
    const many = await chat(app, { tools: tools(129) });
    expect(many.json.error.message).toBe('`tools` must have at most 128 items.');
  });

  it('[X08] of several problems the first in field order is reported', async () => {
    const { json } = await chat(app, { n: 99, temperature: 99, messages: [{ role: 'user', content: 5 }], top_k: -5 });
    expect(json.error.param).toBe('messages.0.content');
    const later = await chat(app, { seed: 'x', n: 99, top_k: -5 });
    expect(later.json.error.param).toBe('top_k');
  });

  it('[S13] a streamed request fails before the stream begins', async () => {
    const invalid = await chat(app, { stream: true, temperature: 9 });
    expect(invalid.status).toBe(400);
    expect(invalid.headers.get('content-type')).toContain('application/json');
    const unknown = await chat(app, { stream: true, model: 'nobody' });
    expect(unknown.status).toBe(404);
    expect(unknown.json.error.type).toBe('not_found_error');
  });
});

it('[C75] a model of another task is refused', async () => {
  const { app: mixed } = await buildApp({
    models: [
      { id: 'embed', task: 'embeddings', backend: 'scripted' },
      { id: 'ears', task: 'speech-to-text', backend: 'scripted' },
    ],
  });
  for (const model of ['embed', 'ears']) {
    const { status, json } = await post(mixed, '/v1/chat/completions', {
      model,
      messages: [{ role: 'user', content: 'Hi.' }],
    });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: 'model_not_supported', param: 'model' });
  }
});
