/** Web pages that may ask a server. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InferenceServer, serveInference } from '../../src/serve/serve-inference.js';
import { originOf } from '../../src/serve/http/cors.js';

const KEY = 'sk-0123456789';
const MODELS = [
  { id: 'chat', task: 'chat' as const, backend: 'scripted' as const, script: { replies: [{ text: 'Hello!' }] } },
];
const OBSIDIAN = 'app://obsidian.md';

describe('[Y53] allowOrigins', () => {
  let server: InferenceServer;
  beforeAll(async () => {
    server = await serveInference({
      models: MODELS,
      apiKeys: [KEY],
      allowOrigins: [OBSIDIAN, 'http://LOCALHOST:3000'],
    });
  });
  afterAll(() => server.close());

  async function ask(headers: IncomingHttpHeaders, path = '/v1/models', method = 'GET'): Promise<IncomingMessage> {
    const { port } = new URL(server.baseURL);
    const asked = request({ host: '127.0.0.1', port, path, method, headers: { host: 'localhost', ...headers } }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return answer;
  }

  it('answers pages of that origin with a key, and no others', async () => {
    const authorization = `Bearer ${KEY}`;
    const answer = await ask({ origin: OBSIDIAN, authorization, 'sec-fetch-site': 'cross-site' });
    expect([answer.statusCode, answer.headers]).toMatchObject([
      200,
      { 'access-control-allow-origin': OBSIDIAN, vary: 'Origin' },
    ]);
    expect(answer.headers['access-control-expose-headers']).toContain('x-request-id');
    expect((await ask({ origin: 'http://localhost:3000', authorization })).statusCode).toBe(200);
    for (const origin of ['app://other.md', 'http://localhost:3001', 'null', 'https://evil.example'])
      expect((await ask({ origin, authorization })).statusCode).toBe(403);
    // Errors can be read, too.
    for (const [headers, path, status] of [
      [{ origin: OBSIDIAN }, '/v1/models', 401],
      [{ origin: OBSIDIAN, authorization }, '/v1/nothing', 404],
      [{ origin: OBSIDIAN }, '/nothing', 404],
    ] as const) {
      const refused = await ask(headers, path);
      expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([status, OBSIDIAN]);
    }
  });

  it('answers preflights, and lets such pages reach this machine', async () => {
    const headers = { origin: OBSIDIAN, 'access-control-request-headers': 'authorization,x-mine' };
    const answer = await ask(headers, '/v1/chat/completions', 'OPTIONS');
    expect([answer.statusCode, answer.headers]).toMatchObject([
      204,
      { 'access-control-allow-headers': 'authorization,x-mine' },
    ]);
    expect(answer.headers['access-control-allow-private-network']).toBeUndefined();
    const near = await ask({ ...headers, 'access-control-request-private-network': 'true' }, '/v1/models', 'OPTIONS');
    expect(near.headers['access-control-allow-private-network']).toBe('true');
    expect((await ask({ ...headers, origin: 'null' }, '/v1/models', 'OPTIONS')).statusCode).toBe(403);
  });

  it('refuses what stands for any page, and origins without a key', async () => {
    for (const wrong of ['*', 'null', 'http://x.test/path', 'http://x.test/', 'x.test', '', 'http://*.x.test'])
      expect([wrong, originOf(wrong)]).toEqual([wrong, undefined]);
    const param = 'allowOrigins';
    await expect(serveInference({ models: MODELS, allowOrigins: [OBSIDIAN] })).rejects.toMatchObject({
      details: { param },
    });
    const revoked = [{ key: KEY, revoked: true }];
    await expect(serveInference({ models: MODELS, apiKeys: revoked, allowOrigins: [OBSIDIAN] })).rejects.toMatchObject({
      details: { param },
    });
    await expect(serveInference({ models: MODELS, apiKeys: [KEY], allowOrigins: ['*'] })).rejects.toMatchObject({
      details: { param: `${param}.0` },
    });
  });
});
