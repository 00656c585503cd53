import { expect, it } from 'vitest';
import { buildApp } from '../../../support/build-app.js';
import { postJson } from '../../../support/http-client.js';
import { recordingBackend } from '../../../support/recording-backend.js';
import { user, valid } from '../messages/support.js';

const { model } = valid;
const messages = [{ role: 'user', content: 'Hello' }];
const ephemeral = { cache_control: { type: 'ephemeral' } };

it.each<[string, string, object, string | undefined]>([
  ['chat completions', '/chat/completions', { messages, prompt_cache_key: 'a' }, 'requested'],
  ['chat completions without a mark', '/chat/completions', { messages }, undefined],
  [
    'chat completions with an odd mark, which is still no error',
    '/chat/completions',
    { messages, prompt_cache_key: 5 },
    undefined,
  ],
  ['text completions', '/completions', { prompt: 'Hello', prompt_cache_key: 'a' }, 'requested'],
  ['responses', '/responses', { input: 'Hello', prompt_cache_key: 'a' }, 'requested'],
  ['responses without a mark', '/responses', { input: 'Hello' }, undefined],
  [
    'messages',
    '/messages',
    { ...valid, messages: [user([{ type: 'text', text: 'Hello', ...ephemeral }])] },
    'requested',
  ],
  ['messages without a mark', '/messages', { ...valid, prompt_cache_key: 'a' }, undefined],
])('[P01] the mark of %s reaches the engine', async (_, path, body, mark) => {
  const { backend, requests } = recordingBackend();
  const { app } = await buildApp({ backends: { scripted: backend } });
  expect((await postJson(app, path, { model, ...body })).status).toBe(200);
  expect(requests.map(({ cachePrompt }) => cachePrompt)).toEqual([mark]);
});
