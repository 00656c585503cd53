/** Bases of `intercept` without a path: whole servers, of Ollama's kind or of OpenAI's. */
import { describe, expect, it } from 'vitest';
import { matchBase } from '../../../../src/relay/match-base.js';
import { buildApp } from '../../../support/build-app.js';
import { get } from '../support/call.js';
import { ask } from './support.js';

const LOCAL = 'http://127.0.0.1:11434';

/** What an intercepted request gets, by the address that it was sent to. */
async function server(prefix: string, apiKeys?: string[]) {
  const { app } = await buildApp({ prefix, isIntercepted: true, ...(apiKeys && { apiKeys }) });
  const bases = { origin: 'https://app.test', prefix, intercept: [LOCAL, 'https://api.openai.com/v1'] };
  return (url: string, init?: RequestInit) => app.request(matchBase(new URL(url), bases)!, init);
}

describe.each(['/v1', '/llm/own'])('a whole server, intercepted by a page whose service is at %s', (prefix) => {
  it('[O02] says that Ollama is running, without a key', async () => {
    const request = await server(prefix, ['sk-1']);
    const answer = await request(LOCAL);
    expect([answer.status, await answer.text()]).toEqual([200, 'Ollama is running']);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    const head = await request(`${LOCAL}/`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const version = await request(`${LOCAL}/api/version`);
    expect([version.status, await version.json()]).toEqual([200, { version: expect.stringMatching(/^0\.4\d\.\d+$/) }]);
    expect((await request(`${LOCAL}/api/version`, { method: 'HEAD' })).status).toBe(200);
    expect((await request(`${LOCAL}/api/tags`)).status).toBe(401);
  });

  it("[O01] has Ollama's operations at /api, the service at /v1, and both at its root", async () => {
    const request = await server(prefix);
    for (const path of ['/api/tags', '/v1/models', '/models', '/v1/api/tags', '/v1/models?limit=1'])
      expect([path, (await request(LOCAL + path)).status]).toEqual([path, 200]);
    const body = JSON.stringify({ model: 'scripted-chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    for (const path of ['/api/chat', '/v1/chat/completions', '/v1/messages', '/messages'])
      expect([path, (await request(LOCAL + path, init)).status]).toEqual([path, 200]);
    expect((await request('https://api.openai.com/v1/api/tags')).status).toBe(200);
    for (const path of ['/v1x/models', '/v2/models', '/api/nothing'])
      expect([path, (await request(LOCAL + path)).status]).toEqual([path, 404]);
  });
});

it("[O01] the page's own base has them below its prefix alone", async () => {
  const { app } = await buildApp();
  expect((await ask(app, 'chat', { stream: false })).status).toBe(200);
  expect((await get(app, '/v1/')).status).toBe(404);
  expect((await get(app, '/api/tags')).status).toBe(404);
});
