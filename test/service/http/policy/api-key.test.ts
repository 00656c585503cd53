/** Credentials. */
import { describe, expect, it, vi } from 'vitest';
import type { App } from '../../../../src/service/http/app.js';
import { buildApp } from '../../../support/build-app.js';
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

/** The different statuses that the endpoints answer with. */
async function statuses(headers: Record<string, string>, app?: App): Promise<number[]> {
  const answers = await callAll(app ?? (await build()).app, headers);
  return [...new Set(answers.map(([, { status }]) => status))];
}

describe('refused', () => {
  it('[K01] no credential: 401 on every endpoint', async () => {
    expect(await statuses({})).toEqual([401]);
  });

  it.each(['sk-wrong', 'sk-righ', 'sk-right1', 'SK-RIGHT', 'sk-right,sk-second'])(
    '[K02] an unknown key (%s): 401',
    async (key) => {
      expect(await statuses({ authorization: `Bearer ${key}` })).toEqual([401]);
    },
  );

  it('[K03] a revoked key: 401', async () => {
    expect(await statuses({ authorization: 'Bearer sk-revoked' })).toEqual([401]);
    expect(await statuses({ 'x-api-key': 'sk-revoked' })).toEqual([401]);
  });

  it.each([
    'Basic c2stcmlnaHQ=',
    'sk-right',
    'Bearer',
    'Bearer ',
    'Bearersk-right',
    'Token sk-right',
    'Bearer sk-right sk-right',
  ])('[K04] a malformed header (%s): 401', async (authorization) => {
    expect(await statuses({ authorization })).toEqual([401]);
  });

  it('[K06] a wrong x-api-key: 401', async () => {
    expect(await statuses({ 'x-api-key': 'sk-wrong' })).toEqual([401]);
  });

  it('[K09] the key is checked before the body', async () => {
    const { app } = await build();
    for (const { path } of JSON_ENDPOINTS) {
      for (const body of ['{not json', '[]', '{}']) expect((await post(app, path, body)).status).toBe(401);
    }
    for (const path of AUDIO_PATHS) expect((await post(app, path, 'no form')).status).toBe(401);
  });
});

describe('accepted', () => {
  it('[K05] a bearer key on every endpoint', async () => {
    expect(await statuses({ authorization: 'Bearer sk-right' })).toEqual([200]);
  });
  it('[K05] a key given as an object', async () => {
    expect(await statuses({ authorization: 'bearer  sk-second' })).toEqual([200]);
  });
  it('[K06] x-api-key on every endpoint', async () => {
    expect(await statuses({ 'x-api-key': 'sk-right' })).toEqual([200]);
  });

  it('[K07] without apiKeys everything is', async () => {
    const { app } = await buildApp({ models: ALL_TASKS });
    const all: Record<string, string>[] = [
      {},
      { authorization: 'Bearer anything' },
      { authorization: 'Basic x' },
      { 'x-api-key': 'y' },
    ];
    for (const headers of all) expect(await statuses(headers, app)).toEqual([200]);
  });
});

it('[K08] the shapes of 401', async () => {
  const { app } = await build();
  const general = { type: 'authentication_error', message: expect.any(String), code: 'invalid_api_key', param: null };
  const dialect = { type: 'authentication_error', message: expect.any(String), code: 'invalid_api_key' };
  const request_id = expect.stringMatching(UUID);
  const special: Record<string, unknown> = {
    '/v1/models/scripted-chat': { error: expect.any(String) },
    '/v1/messages': { type: 'error', error: dialect, request_id },
  };
  for (const [path, { json, headers }] of await callAll(app, {})) {
    expect(headers.get('content-type')).toContain('application/json');
    expect(json).toEqual(special[path] ?? { error: general, request_id });
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
      const both: Record<string, string>[] = [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }];
      for (const headers of both) {
        for (const [, { text, headers: answered }] of await callAll(app, headers))
          expect(text + JSON.stringify(Object.fromEntries(answered))).not.toContain(key);
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
