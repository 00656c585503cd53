/** Errors from below the endpoints name fields that the endpoint has. */
import { describe, expect, it } from 'vitest';
import type { Backend, LoadedModel } from '../../../../src/core/models/backend.js';
import type { GenerationRequest } from '../../../../src/core/request/generation-request.js';
import { scriptedBackend } from '../../../../src/engines/scripted/scripted-backend.js';
import { InferenceError } from '../../../../src/core/errors/inference-error.js';
import type { App } from '../../../../src/service/http/app.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { post } from '../support/call.js';
import { JSON_ENDPOINTS } from '../support/models.js';

const FIELDS: Record<string, { prompt: string; format: string }> = {
  '/v1/chat/completions': { prompt: 'messages', format: 'response_format' },
  '/v1/completions': { prompt: 'prompt', format: 'response_format' },
  '/v1/messages': { prompt: 'messages', format: 'output_config.format' },
  '/v1/responses': { prompt: 'input', format: 'text.format' },
};

const endpoints = JSON_ENDPOINTS.flatMap(({ path, body }) => (FIELDS[path] ? [{ path, body, ...FIELDS[path] }] : []));

type Refuse = (request: GenerationRequest) => InferenceError;

/** An app whose engine refuses every request. */
async function refusing(refuse: Refuse): Promise<App> {
  const backend: Backend = {
    async load(entry, options) {
      const model = await scriptedBackend.load(entry, options);
      const countTokens = async (request: GenerationRequest): Promise<never> => {
        throw refuse(request);
      };
      const generate: LoadedModel['generate'] = (request) => ({
        [Symbol.asyncIterator]: () => ({ next: () => countTokens(request) }),
      });
      return { ...model, countTokens, generate };
    },
  };
  const { app } = await buildApp({ backends: { scripted: backend } });
  return app;
}

describe.each(endpoints)('$path', ({ path, body, prompt, format }) => {
  it.each([false, true])(
    '[C22] [T17] [M29] [R29] a prompt that is too long: `param` is its field (stream: %s)',
    async (stream) => {
      const { app } = await buildApp({ models: [scriptedChat({ contextLength: 3 })] });
      const long = 'very long words '.repeat(20);
      const fields = 'messages' in body ? { messages: [{ role: 'user', content: long }] } : { [prompt]: long };
      const { status, json } = await post(app, path, { ...body, ...fields, stream });
      expect(status).toBe(400);
      expect(json.error).toMatchObject({ code: 'context_length_exceeded', param: prompt });
    },
  );

  it('a schema that no grammar can keep: `param` and message name the endpoint’s field', async () => {
    // As `answerGrammar` does; its own test is in `test/language/constraints`.
    const app = await refusing(({ paramNames }) => {
      const param = paramNames?.response_format ?? 'response_format';
      return new InferenceError('invalid_request', `Invalid schema in \`${param}\`: it is odd.`, { param });
    });
    const { error } = (await post(app, path, body)).json;
    expect(error).toMatchObject({ param: format, message: `Invalid schema in \`${format}\`: it is odd.` });
  });
});

it('a place among the canonical messages is named where they are the endpoint’s own', async () => {
  const app = await refusing(() => new InferenceError('unsupported_content', 'No.', { param: 'messages.3.content' }));
  const params: unknown[] = [];
  for (const { path, body } of endpoints) params.push((await post(app, path, body)).json.error.param);
  expect(params).toEqual(['messages.3.content', 'prompt', 'messages', 'input']);
  const [messages] = JSON_ENDPOINTS.filter(({ path }) => path === '/v1/messages');
  expect((await post(app, '/v1/messages/count_tokens', messages!.body)).json.error.param).toBe('messages');
});

it('other errors stay as they are', async () => {
  const app = await refusing(() => new InferenceError('unsupported_content', 'No.', { param: 'tools' }));
  for (const { path, body } of endpoints) expect((await post(app, path, body)).json.error.param).toBe('tools');
});
