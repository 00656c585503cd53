/** Models outside the plan and models that were removed. */
import { expect, it } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { buildApp } from '../../../support/build-app.js';
import { type Answer, post, read, UUID } from '../support/call.js';
import { ALL_TASKS, AUDIO_PATHS, audioForm, JSON_ENDPOINTS } from '../support/models.js';

const outside: ModelEntry[] = ALL_TASKS.map((entry) => ({ ...entry, access: 'not-in-plan' }));
const removed: ModelEntry[] = ALL_TASKS.map((entry) => ({ ...entry, status: 'removed' }));

/** What each inference endpoint answers. */
async function answers(models: ModelEntry[]): Promise<Map<string, Answer>> {
  const { app } = await buildApp({ models });
  const found = new Map<string, Answer>();
  for (const { path, body } of JSON_ENDPOINTS) found.set(path, await post(app, path, body));
  for (const path of AUDIO_PATHS)
    found.set(path, await read(await app.request(path, { method: 'POST', body: audioForm() })));
  return found;
}

const general = (fields: object) => ({
  error: {
    message: expect.any(String),
    param: expect.toSatisfy((value) => value === null || typeof value === 'string'),
    type: expect.any(String),
    code: expect.any(String),
    ...fields,
  },
  request_id: expect.stringMatching(UUID),
});

it('[K10] not in the plan on chat: 422 model_not_in_plan', async () => {
  const { status, json } = (await answers(outside)).get('/v1/chat/completions')!;
  expect(status).toBe(422);
  expect(json).toEqual(general({ code: 'model_not_in_plan' }));
});

it('[K11] not in the plan on messages: 422 with message and type only', async () => {
  const { status, json } = (await answers(outside)).get('/v1/messages')!;
  expect(status).toBe(422);
  expect(json).toEqual({
    type: 'error',
    error: { type: 'invalid_request_error', message: expect.any(String) },
    request_id: expect.stringMatching(UUID),
  });
});

it('[K12] not in the plan elsewhere: 422 general', async () => {
  const found = await answers(outside);
  for (const path of ['/v1/completions', '/v1/responses', '/v1/embeddings', '/v1/rerank', ...AUDIO_PATHS]) {
    expect(found.get(path)?.status).toBe(422);
    expect(found.get(path)?.json).toEqual(general({ code: 'model_not_in_plan' }));
  }
});

it('[K13] removed on chat: 410 plain', async () => {
  const { status, json, text, headers } = (await answers(removed)).get('/v1/chat/completions')!;
  expect(status).toBe(410);
  expect(json).toBeUndefined();
  expect(text).toContain('removed');
  expect(headers.get('content-type')).toMatch(/^text\/plain/);
});

it('[K14] removed on responses: 410 internal_error', async () => {
  const { status, json } = (await answers(removed)).get('/v1/responses')!;
  expect(status).toBe(410);
  expect(json).toEqual(general({ type: 'internal_error', code: 'internal_error', param: null }));
});

it('[K15] removed on messages: 410 not_found_error without code', async () => {
  const { status, json } = (await answers(removed)).get('/v1/messages')!;
  expect(status).toBe(410);
  expect(json.type).toBe('error');
  expect(json.error).toMatchObject({ type: 'not_found_error', message: expect.any(String) });
  expect(json.error).not.toHaveProperty('code');
});

it('[K16] removed elsewhere: 410 general', async () => {
  const found = await answers(removed);
  for (const path of ['/v1/completions', '/v1/embeddings', '/v1/rerank', ...AUDIO_PATHS]) {
    expect(found.get(path)?.status).toBe(410);
    expect(found.get(path)?.json).toEqual(general({ type: 'not_found_error' }));
  }
});
