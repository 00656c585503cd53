import { createServer } from 'node:http';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { INFERENCE_OPTIONS } from '../../../src/core/models/inference-options.js';
import type { TestServer, TestServerOptions } from '../../../src/testing/test-server/index.js';
import { chat, chatBody, said, send } from './support/ask.js';
import { importTestServer } from './support/built.js';

const { startTestServer } = await importTestServer();

const started: TestServer[] = [];
async function start(options?: TestServerOptions): Promise<TestServer> {
  const server = await startTestServer(options);
  started.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

describe('a test server', () => {
  it('[Y01] listens on any free port of the loopback interface, and frees it', async () => {
    const server = await start();
    const port = Number(new URL(server.origin).port);
    expect(server.origin).toBe(`http://127.0.0.1:${port}`);
    expect(server.baseURL).toBe(`${server.origin}/v1`);
    server.use({ text: 'Hello there!' });
    expect(await said(server, 'Hi')).toBe('Hello there!');
    await Promise.all([server.close(), server.close()]);
    await expect(fetch(server.origin)).rejects.toThrow('fetch failed');
    const again = await start({ port, prefix: '/ai' });
    expect(again.baseURL).toBe(`http://127.0.0.1:${port}/ai`);
    await again[Symbol.asyncDispose]();
  });

  it('[Y01] names a port that is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(startTestServer({ port })).rejects.toThrow(`Port ${port} is taken`);
    other.close();
  });

  it('[Y01] ends requests under way when it closes', async () => {
    const server = await start();
    server.use({ replies: [{ text: 'a b c d' }], tokenDelayMs: 60_000 });
    const asked = chat(server, 'Hi').catch((thrown: unknown) => thrown);
    const entry = await server.nextRequest();
    await server.close();
    expect(await asked).toBeInstanceOf(Error);
    expect(entry.state).toBe('aborted');
  });

  it.each([
    [{ models: [{ id: 'm', task: 'chat', backend: 'transformers' }] }, 'models.0.backend'],
    [
      { models: [{ id: 'm', task: 'chat', backend: 'scripted', script: { replies: [{ txt: 'x' }] } }] },
      'models.0.script.replies.0.txt',
    ],
    [{ models: 'gpt' }, 'models'],
    [{ serviceWorker: false }, 'serviceWorker'],
    [{ hub: 'https://example.com' }, 'hub'],
    [{ port: 1.5 }, 'port'],
    [{ now: 'yesterday' }, 'now'],
    [{ requestTimeout: 0 }, 'requestTimeout'],
  ])('[Y02] refuses %j', async (options, param) => {
    await expect(startTestServer(options as TestServerOptions)).rejects.toMatchObject({
      code: 'invalid_request',
      param,
    });
  });

  const TAKEN = [
    'models',
    'apiKeys',
    'rateLimits',
    'compatibility',
    'requestTimeout',
    'prefix',
    'record',
    'storeResponses',
  ];

  it.each(Object.keys(INFERENCE_OPTIONS.entries).filter((name) => !TAKEN.includes(name)))(
    '[Y02] refuses the option `%s` of pages by name',
    async (name) => {
      const options = { [name]: 'x' } as TestServerOptions;
      await expect(startTestServer(options)).rejects.toMatchObject({ code: 'invalid_request', param: name });
    },
  );

  it('[Y02] takes what `startInference` takes of the service, and stores responses in memory', async () => {
    const server = await start({
      models: [{ id: 'm', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Yes.' }] } }],
      apiKeys: ['secret'],
      rateLimits: { requestsPerMinute: 50 },
      compatibility: 'service',
      requestTimeout: 30,
      prefix: '/ai',
      record: true,
      storeResponses: true,
      now: new Date('2026-01-02T00:00:00Z'),
    });
    const init = { headers: { authorization: 'Bearer secret' } };
    const made = await send(`${server.baseURL}/responses`, { model: 'm', input: 'Hi' }, { ...init, method: 'POST' });
    expect([server.baseURL.endsWith('/ai'), made.json.store, made.json.created_at]).toEqual([
      true,
      true,
      1_767_312_000,
    ]);
    const got = await send(`${server.baseURL}/responses/${made.json.id}`, undefined, init);
    expect(got.json).toEqual(made.json);
    expect((await send(`${server.baseURL}/models`)).status).toBe(401);
  });

  it('[Y03] answers every name on each endpoint, and lists those asked', async () => {
    const server = await start();
    server.use({ text: 'Hello there!' });
    const post = (path: string, body: unknown) => send(server.baseURL + path, body);
    const answers = await Promise.all([
      post('/chat/completions', chatBody('Hi', { model: 'a' })),
      post('/messages', { model: 'b', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }),
      post('/responses', { model: 'c', input: 'Hi' }),
      post('/completions', { model: 'd', prompt: 'Hi' }),
      post('/embeddings', { model: 'a', input: 'Hi' }),
      post('/rerank', { model: 'e', query: 'Hi', documents: ['x'] }),
      post('/audio/speech', { model: 'f', input: 'Hi', voice: 'low', response_format: 'pcm' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 200));
    const listed = async () => (await send(`${server.baseURL}/models`)).json.data.map(({ id }: { id: string }) => id);
    expect((await listed()).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    server.reset();
    expect(await listed()).toEqual([]);
  });

  it('[Y03] has only the models that it is given', async () => {
    const server = await start({
      models: [
        { id: 'm', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Yes.' }] } },
        { id: 'old', task: 'chat', backend: 'scripted', status: 'removed' },
      ],
    });
    expect(await said(server, 'Hi', { model: 'm' })).toBe('Yes.');
    expect((await chat(server, 'Hi', { model: 'other' })).status).toBe(404);
    expect((await chat(server, 'Hi', { model: 'old' })).status).toBe(410);
  });

  it('[Y19] draws the same ids and times after each start and reset', async () => {
    const server = await start();
    const run = async (): Promise<string[]> => {
      server.use({ text: 'Hello there!', toolCalls: [{ name: 'look_up', arguments: {} }] });
      const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }];
      const one = await chat(server, 'Hi', { tools, logprobs: true, top_logprobs: 5 });
      const two = await chat(server, 'Hi', { stream: true });
      return [one.text, two.text, one.headers.get('x-request-id') ?? ''];
    };
    const first = await run();
    expect(first[0]).toContain('"created":1767225600');
    expect(first[0]).toMatch(/"call_0{23}1"/);
    expect(first[2]).toBe('00000000-0000-4000-8000-000000000001');
    server.reset();
    expect(await run()).toEqual(first);
  });

  it('[Y19] has a clock that a test moves', async () => {
    const server = await start({ now: new Date('2030-01-01T00:00:00Z'), rateLimits: { requestsPerMinute: 1 } });
    server.use({ text: 'Yes.' });
    expect((await chat(server, 'Hi')).json.created).toBe(Date.parse('2030-01-01T00:00:00Z') / 1000);
    expect((await chat(server, 'Hi')).status).toBe(429);
    server.advance(61_000);
    const { json } = await chat(server, 'Hi');
    expect(json.created).toBe(Date.parse('2030-01-01T00:01:01Z') / 1000);
    expect(server.requests.map(({ startedAt }) => startedAt % 60_000)).toEqual([0, 0, 1000]);
  });

  it("[Y19] has the machine's clock and random ids where it is told to", async () => {
    const server = await start({ now: 'real' });
    server.use({ text: 'Yes.' });
    const { json } = await chat(server, 'Hi');
    expect(Math.abs(json.created - Date.now() / 1000)).toBeLessThan(60);
    expect(json.id).not.toContain('00000000-0000');
  });

  it('[Y20] simulates failures and limits as the page does', async () => {
    const server = await start({
      apiKeys: ['sk-one'],
      models: [
        { id: 'm', task: 'chat', backend: 'scripted', script: { replies: [{ text: 'Yes.' }] } },
        { id: 'broken', task: 'chat', backend: 'scripted', script: { replies: [], failWith: 'unavailable' } },
        { id: 'dear', task: 'chat', backend: 'scripted', access: 'not-in-plan' },
      ],
    });
    const ask = (model: string, key = 'sk-one') =>
      send(`${server.baseURL}/chat/completions`, chatBody('Hi', { model }), {
        headers: { authorization: `Bearer ${key}` },
      });
    expect((await ask('m')).status).toBe(200);
    expect((await ask('m', 'sk-two')).status).toBe(401);
    expect((await ask('broken')).status).toBe(503);
    expect((await ask('dear')).status).toBe(422);
    await server.faults.set({ fail: { status: 529, count: 2 } });
    expect([(await ask('m')).status, (await ask('m')).status, (await ask('m')).status]).toEqual([529, 529, 200]);
    await expect(server.faults.set({ fail: { status: 418 as never } })).rejects.toMatchObject({ param: 'fail.status' });
    await server.faults.set({ cutStreamAfterEvents: 1 });
    const cut = chat({ baseURL: server.baseURL }, 'Hi', { model: 'm', stream: true });
    await expect(cut).resolves.toMatchObject({ status: 401 });
    const broken = send(`${server.baseURL}/chat/completions`, chatBody('Hi', { model: 'm', stream: true }), {
      headers: { authorization: 'Bearer sk-one' },
    });
    await expect(broken).rejects.toThrow('terminated');
    await expect.poll(() => server.requests.at(-1)).toMatchObject({ state: 'broken', status: 200 });
    await server.faults.clear();
    expect((await ask('m')).status).toBe(200);
  });

  it('[Y20] records', async () => {
    const server = await start({ record: true });
    server.use({ text: 'Hello there!' });
    await said(server, 'Hi');
    const [model] = await server.recorded();
    expect(model).toMatchObject({ id: 'gpt-5', backend: 'scripted', script: { replies: [{ match: 'Hi' }] } });
    const replay = await start({ models: [model!] });
    expect(await said(replay, 'Hi')).toBe('Hello there!');
    await expect(replay.recorded()).rejects.toMatchObject({ code: 'invalid_request', param: 'record' });
  });

  it('[Y23] answers Messages where both clients look for it', async () => {
    const server = await start();
    server.use({ text: 'Yes.' });
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
    for (const path of ['/v1/messages', '/messages', '/messages/count_tokens'])
      expect((await send(server.origin + path, body)).status).toBe(200);
    for (const path of ['/', '/v2/messages', '/chat/completions', '/v1x/models'])
      expect((await send(server.origin + path, body)).status).toBe(404);
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/messages', '/messages', '/messages/count_tokens']);
  });

  it('[Y24] lets pages of this machine ask, and no others', async () => {
    const server = await start();
    server.use({ text: 'Yes.' });
    const ask = (headers: Record<string, string>) =>
      send(`${server.baseURL}/chat/completions`, chatBody('Hi'), { headers });
    for (const origin of ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:80']) {
      const { status, headers } = await ask({ origin });
      expect(status).toBe(200);
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('access-control-expose-headers')).toContain('x-ratelimit-remaining-requests');
    }
    const preflight = await send(`${server.baseURL}/chat/completions`, undefined, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:3000',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, x-stainless-os',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, x-stainless-os');
    for (const origin of ['https://example.com', 'http://localhost.example.com', 'null'])
      expect((await ask({ origin })).status).toBe(403);
    expect(await statusFor(server, 'example.com')).toBe(403);
    expect(await statusFor(server, 'LOCALHOST')).toBe(200);
    expect(server.requests).toHaveLength(4);
  });
});

/** Of a request that names another host. */
function statusFor(server: TestServer, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    httpRequest(`${server.baseURL}/models`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
