/** Who answers for a model that this device cannot run. */
import { expect, it } from 'vitest';
import type { Backend } from '../../../src/core/models/backend.js';
import { scriptedBackend } from '../../../src/engines/scripted/scripted-backend.js';
import { InferenceError } from '../../../src/core/errors/inference-error.js';
import type { App } from '../../../src/service/http/app.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { eventsOf, post } from './support/call.js';
import { embedder, JSON_ENDPOINTS, ranker, streams } from './support/models.js';

const tooLarge: Backend = {
  load: async () => {
    throw new InferenceError('insufficient_resources', 'The device has too little memory.');
  },
};

/** The scripted models, each also as the fallback of a model that is too large. */
async function build(): Promise<App> {
  const large = { backend: 'transformers', source: 'owner/large' } as const;
  const { app } = await buildApp({
    models: [
      scriptedChat(),
      embedder,
      ranker,
      { ...large, id: 'large-chat', task: 'chat', fallback: 'scripted-chat' },
      { ...large, id: 'large-embed', task: 'embeddings', fallback: 'scripted-embed' },
      { ...large, id: 'large-rerank', task: 'rerank', fallback: 'scripted-rerank' },
    ],
    backends: { scripted: scriptedBackend, transformers: tooLarge },
  });
  return app;
}

const largeOf = (model: unknown): string => String(model).replace('scripted', 'large');

/** A file of sound names no model. */
const naming = JSON_ENDPOINTS.filter(({ path }) => path !== '/v1/audio/speech');

it.each(naming)('$path names the model used, not the one asked for', async ({ path, body }) => {
  const app = await build();
  const direct = await post(app, path, body);
  const answer = await post(app, path, { ...body, model: largeOf(body['model']) });
  expect(answer.status).toBe(200);
  expect(answer.json.model).toBe(body['model']);
  expect(answer.json.system_fingerprint).toBe(direct.json.system_fingerprint);
});

const streaming = JSON_ENDPOINTS.filter(streams);

it.each(streaming)('$path names the model used in its stream, too', async ({ path, body }) => {
  const app = await build();
  const answer = await post(app, path, { ...body, model: largeOf(body['model']), stream: true });
  const named = eventsOf(answer.text).flatMap(({ json }) => {
    const model = json?.model ?? json?.message?.model ?? json?.response?.model;
    return model === undefined ? [] : [model];
  });
  expect(named.length).toBeGreaterThan(0);
  expect(new Set(named)).toEqual(new Set([body['model']]));
});
