/** Credentials. */
import { describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/http/app.js';
import { buildApp } from '../../support/build-app.js';
import { type Answer, get, post, read, UUID } from '../support/call.js';
import { ALL_TASKS, AUDIO_PATHS, audioForm, JSON_ENDPOINTS } from '../support/models.js';

const apiKeys = ['sk-right', { key: 'sk-second' }, { key: 'sk-revoked', revoked: true }];
const build = () => buildApp({ models: ALL_TASKS, apiKeys });

/** One request to every endpoint. */
async function callAll(app: App, headers: Record<string, string>): Promise<[path: string, answer: Answer][]> {
  const answers: [string, Answer][] = [];
  for (const { path, body } of JSON_ENDPOINTS) answers.push([path, await post(app, path, body, headers)]);
  for (const path of AUDIO_PATHS)
    answers.push([path, await read(await app.request(path, { method: 'POST', body: audioForm(), headers }))]);
  for (const path of ['/v1/models', '/v1/models/scripted-chat']) answers.push([path, await get(app, path, headers)]);
  return answers;
}

async function expectAll(headers: Record<string, string>, status: number): Promise<void> {
  const { app } = await build();
  for (const [path, answer] of await callAll(app, headers)) expect([path, answer.status]).toEqual([path, status]);
}

describe('refused', () => {
  it('[K01] no credential: 401 on every endpoint', () => expectAll({}, 401));

  it.each(['sk-wrong', 'sk-righ', 'sk-right1', 'SK-RIGHT', 'sk-right,sk-second'])(
    '[K02] an unknown key (%s): 401',
    (key) => expectAll({ authorization: `Bearer ${key}` }, 401),
  );

  it('[K03] a revoked key: 401', async () => {
    await expectAll({ authorization: 'Bearer sk-revoked' }, 401);
    await expectAll({ 'x-api-key': 'sk-revoked' }, 401);
  });

  it.each([
    'Basic c2stcmlnaHQ=',
    'sk-right',
    'Bearer',
    'Bearer ',
    'Bearersk-right',
    'Token sk-right',
    'Bearer sk-right sk-right',
  ])('[K04] a malformed header (%s): 401', (authorization) => expectAll({ authorization }, 401));

  it('[K06] a wrong x-api-key: 401', () => expectAll({ 'x-api-key': 'sk-wrong' }, 401));

  it('[K09] the key is checked before the body', async () => {
    const { app } = await build();
    for (const { path } of JSON_ENDPOINTS) {
      for (const body of ['{not json', '[]', '{}']) expect((await post(app, path, body)).status).toBe(401);
    }
    for (const path of AUDIO_PATHS) expect((await post(app, path, 'no form')).status).toBe(401);
  });
});

describe('accepted', () => {
  it('[K05] a bearer key on every endpoint', () => expectAll({ authorization: 'Bearer sk-right' }, 200));
  it('[K05] a key given as an object', () => expectAll({ authorization: 'bearer  sk-second' }, 200));
  it('[K06] x-api-key on every endpoint', () => expectAll({ 'x-api-key': 'sk-right' }, 200));

  it('[K07] without apiKeys everything is', async () => {
    const { app } = await buildApp({ models: ALL_TASKS });
    for (const headers of [
      {},
      { authorization: 'Bearer anything' },
      { authorization: 'Basic x' },
      { 'x-api-key': 'y' },
    ]) {
      for (const [path, answer] of await callAll(app, headers as Record<string, string>))
        expect([path, answer.status]).toEqual([path, 200]);
    }
  });
});

it('[K08] the shapes of 401', async () => {
  const { app } = await build();
  for (const [path, { json, headers }] of await callAll(app, {})) {
    expect(headers.get('content-type')).toContain('application/json');
    if (path === '/v1/models/scripted-chat') expect(json).toEqual({ error: expect.any(String) });
    else {
      expect(json.error.type).toBe('authentication_error');
      expect(json.request_id).toMatch(UUID);
      expect(json.type).toBe(path === '/v1/messages' ? 'error' : undefined);
    }
  }
});

it('keys are neither logged nor stored nor echoed', async () => {
  const stored: string[] = [];
  const logs = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) => vi.spyOn(console, level));
  const counterStore = {
    update: async (caller: string, change: (counters: { minute: []; day: [] }) => { result: unknown }) => (
      stored.push(caller),
      change({ minute: [], day: [] }).result
    ),
  };
  for (const keys of [apiKeys, undefined]) {
    const { app } = await buildApp({
      models: ALL_TASKS,
      counterStore: counterStore as never,
      ...(keys && { apiKeys: keys }),
    });
    for (const key of ['sk-right', 'sk-wrong-and-long', 'sk-revoked']) {
      for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }]) {
        for (const [, { text, headers: answered }] of await callAll(app, headers as Record<string, string>))
          expect(text + JSON.stringify([...answered])).not.toContain(key);
      }
    }
  }
  expect(stored.length).toBeGreaterThan(0);
  for (const name of stored) expect(name).toMatch(/^[0-9a-f]{64}$/);
  for (const log of logs) {
    expect(JSON.stringify(log.mock.calls)).not.toContain('sk-');
    log.mockRestore();
  }
});
