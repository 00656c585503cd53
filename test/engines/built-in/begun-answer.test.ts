import { expect, it } from 'vitest';
import { buildApp } from '../../support/build-app.js';
import { createLanguageModel } from '../../support/language-model.js';
import { post } from '../../service/http/support/call.js';
import { ASSISTANT, browserBackend } from './load-browser-model.js';

it('[M32] an answer that the client has begun is refused: 400', async () => {
  const standIn = createLanguageModel();
  const { app } = await buildApp({ models: [ASSISTANT], backends: { 'built-in': browserBackend(standIn) } });
  const messages = [
    { role: 'user', content: 'Count.' },
    { role: 'assistant', content: 'One, two,' },
  ];
  const body = { model: ASSISTANT.id, max_tokens: 50, messages };
  const { status, json } = await post(app, '/v1/messages', body);
  expect([status, json.error.param]).toEqual([400, 'messages']);
  const chat = await post(app, '/v1/chat/completions', { ...body, continue_final_message: true });
  expect([chat.status, chat.json.error.param]).toEqual([400, 'messages']);
});
