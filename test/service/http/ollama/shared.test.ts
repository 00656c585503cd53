/** What Ollama's operations have in common with all others: limits, plans, ids, fallbacks, and an engine that is freed. */
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../../src/core/models/backend.js';
import { InferenceError } from '../../../../src/core/errors/inference-error.js';
import { scriptedBackend } from '../../../../src/engines/scripted/scripted-backend.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { get, post } from '../support/call.js';
import { embedder } from '../support/models.js';
import { ask, linesOf } from './support.js';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

describe('[O23] like every other operation', () => {
  it('answers count against the limits, and what is known of models counts nowhere', async () => {
    const headers = { authorization: 'Bearer sk-1' };
    const models = [scriptedChat(), embedder];
    const { app } = await buildApp({ models, apiKeys: ['sk-1'], rateLimits: { requestsPerMinute: 3 } });
    const known = async (): Promise<void> => {
      for (const path of ['tags', 'ps'])
        expect([path, (await get(app, `/v1/api/${path}`, headers)).status]).toEqual([path, 200]);
      expect((await post(app, '/v1/api/show', { model: 'scripted-chat' }, headers)).status).toBe(200);
    };
    const asked = [
      ['chat', { model: 'scripted-chat', messages: [{ role: 'user', content: 'Hi' }] }],
      ['generate', { model: 'scripted-chat', prompt: 'Hi' }],
      ['embed', { model: 'scripted-embed', input: ['Hi', 'Ho'] }],
    ] as const;
    for (const [index, [path, body]] of asked.entries()) {
      await known();
      const answer = await post(app, `/v1/api/${path}`, body, headers);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get('x-ratelimit-remaining-requests')).toBe(String(asked.length - 1 - index));
      expect(answer.headers.get('x-request-id')).toMatch(UUID);
    }
    for (const [path, body] of asked)
      expect([path, (await post(app, `/v1/api/${path}`, body, headers)).status]).toEqual([path, 429]);
    await known();
  });

  it('the fallback answers for a model that this device cannot run', async () => {
    const tooLarge: Backend = {
      load: async () => {
        throw new InferenceError('insufficient_resources', 'The device has too little memory.');
      },
    };
    const { app } = await buildApp({
      models: [
        scriptedChat(),
        { id: 'large', task: 'chat', backend: 'transformers', source: 'owner/large', fallback: 'scripted-chat' },
      ],
      backends: { scripted: scriptedBackend, transformers: tooLarge },
    });
    const { status, json } = await ask(app, 'chat', { model: 'large:latest', stream: false });
    expect([status, json.message.content]).toEqual([200, 'Hello there, friend.']);
  });

  it.each(['chat', 'generate'] as const)('a reader of /api/%s that goes away frees the engine', async (path) => {
    // Undisturbed, the first answer would take 40 seconds.
    const script = { replies: [{ text: 'word ', repeat: 4000 }], tokenDelayMs: 10 };
    const { app } = await buildApp({ models: [scriptedChat({ script })] });
    const body = { model: 'scripted-chat', prompt: 'Hi', messages: [{ role: 'user', content: 'Hi' }] };
    const first = await app.request(`/v1/api/${path}`, { method: 'POST', body: JSON.stringify(body) });
    const reader = first.body!.getReader();
    for (let chunk = 0; chunk < 3; chunk++) expect((await reader.read()).done).toBe(false);
    await reader.cancel();
    const second = await ask(app, path, { options: { num_predict: 2 } });
    expect(linesOf(second).at(-1)).toMatchObject({ done: true, eval_count: 2 });
  });

  it('a request that is given up before its answer frees the engine', async () => {
    const script = { replies: [{ text: 'word ', repeat: 4000 }], tokenDelayMs: 10 };
    const { app } = await buildApp({ models: [scriptedChat({ script })] });
    const leave = new AbortController();
    const body = JSON.stringify({ model: 'scripted-chat', prompt: 'Hi', stream: false });
    const answer = app.request('/v1/api/generate', { method: 'POST', body, signal: leave.signal });
    setTimeout(() => leave.abort(), 100);
    await Promise.resolve(answer).catch(() => {});
    expect((await ask(app, 'generate', { options: { num_predict: 2 } })).status).toBe(200);
  });
});
