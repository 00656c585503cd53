import { describe, expect, it } from 'vitest';
import { InferenceError } from '../../../../src/core/errors/inference-error.js';
import { tooLongMessage } from '../../../../src/service/http/errors/too-long-message.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { post } from '../support/call.js';
import { ranker } from '../support/models.js';

const LONG = 'very long words '.repeat(20);
/** So long that its tokens are estimated. */
const HUGE = 'very long words '.repeat(20_000);

describe.each(['service', 'hosted'] as const)('%s', (compatibility) => {
  it.each([LONG, HUGE])('[X27] OpenAI’s dialects say which length is the maximum', async (content) => {
    const { app } = await buildApp({ models: [scriptedChat({ contextLength: 30 })], compatibility });
    const bodies: Record<string, object> = {
      'chat/completions': { messages: [{ role: 'user', content }] },
      completions: { prompt: content },
      responses: { input: content },
      'responses/input_tokens': { input: content },
    };
    for (const [path, body] of Object.entries(bodies)) {
      if (path.endsWith('tokens') && content === LONG) continue;
      const { status, json } = await post(app, `/v1/${path}`, { model: 'scripted-chat', ...body });
      expect([status, json.error.code]).toEqual([400, 'context_length_exceeded']);
      expect(json.error.message).toContain("This model's maximum context length is 30 tokens");
    }
  });

  it.each([LONG, HUGE])('[X27] /messages says how many tokens are too many', async (content) => {
    const { app } = await buildApp({ models: [scriptedChat({ contextLength: 30 })], compatibility });
    const body = { model: 'scripted-chat', max_tokens: 10, messages: [{ role: 'user', content }] };
    for (const stream of [false, true]) {
      const { status, json } = await post(app, '/v1/messages', { ...body, stream });
      const [, sent, most] = /^prompt is too long: (\d+) tokens > (\d+) maximum/.exec(json.error.message) ?? [];
      expect([status, json.error.type, Number(most)]).toEqual([400, 'invalid_request_error', 30]);
      expect(Number(sent)).toBeGreaterThan(30);
    }
  });

  it('[X27] a query that leaves no room for documents', async () => {
    const { app } = await buildApp({ models: [{ ...ranker, contextLength: 30 }], compatibility });
    const body = { model: ranker.id, query: LONG, documents: ['a'] };
    expect((await post(app, '/v1/rerank', body)).json.error.message).toContain('maximum context length is 30 tokens');
  });
});

it('[X27] words of a remote service that are others', () => {
  const error = (details: object): InferenceError =>
    new InferenceError('context_length_exceeded', 'the request exceeds the available context size', details);
  const full = error({ contextLength: 4096, promptTokens: 5000 });
  expect(tooLongMessage(full, 'chat-completions')).toMatch(/^This model's maximum context length is 4096 tokens\. the/);
  expect(tooLongMessage(full, 'messages')).toBe('prompt is too long: 5000 tokens > 4096 maximum');
  expect(tooLongMessage(error({}), 'responses')).toContain('maximum context length: the request');
  expect(tooLongMessage(error({}), 'messages')).toBe(
    'prompt is too long: the request exceeds the available context size',
  );
});
