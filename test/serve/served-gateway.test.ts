import { once } from 'node:events';
import { request, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { toPcm } from '../../src/core/media/pcm.js';
import type { TypedModelEntry } from '../../src/core/models/model-entry.js';
import { createLimitedServer } from '../../src/serve/limited-server.js';
import { type InferenceServer, serveInference } from '../../src/serve/serve-inference.js';
import { ServedGateway } from '../../src/serve/served-gateway.js';
import { soundOf } from '../service/http/support/sounds.js';

const CHAT: TypedModelEntry = {
  id: 'chat',
  task: 'chat',
  backend: 'scripted',
  script: {
    replies: [{ match: 'slow', text: 'one two three '.repeat(1_000), tokenDelayMs: 20 }, { text: 'Hello!' }],
  },
};
const MODELS: TypedModelEntry[] = [
  CHAT,
  { id: 'ranker', task: 'rerank', backend: 'scripted', script: { replies: [] } },
  { id: 'listener', task: 'speech-to-text', backend: 'scripted', script: { replies: [{ text: 'Good morning.' }] } },
];

const bodyOf = (content: string, more: object = {}): string =>
  JSON.stringify({ model: 'chat', messages: [{ role: 'user', content }], ...more });

/** Asks as a program outside of a browser does. */
function ask(baseURL: string, content: string, more: object = {}): Promise<Response> {
  return fetch(`${baseURL}/chat/completions`, { method: 'POST', body: bodyOf(content, more) });
}

/** Sends bytes as they are. */
function raw(port: number, bytes: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  // What is written after the server has hung up is lost.
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

async function answered(asked: ReturnType<typeof request>): Promise<IncomingMessage> {
  return ((await once(asked, 'response')) as [IncomingMessage])[0];
}

describe('serve with models that need no page', () => {
  let server: InferenceServer;
  let port: number;
  beforeAll(async () => {
    server = await serveInference({ models: MODELS });
    port = Number(new URL(server.baseURL).port);
  });
  afterAll(() => server.close());

  it('answers', async () => {
    const answer = await ask(server.baseURL, 'Hi');
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('Hello!');
  });

  it('says which option is wrong, as the page does', async () => {
    const twice = serveInference({ models: [CHAT, CHAT] });
    await expect(twice).rejects.toMatchObject({ code: 'invalid_request' });
    const loop = { id: 'loop', task: 'chat', backend: 'upstream', source: '/v1' } as const;
    await expect(serveInference({ models: [loop] })).rejects.toMatchObject({ details: { param: 'models.0.source' } });
  });

  it('answers others while clients upload slowly', async () => {
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{`;
    const slow = Array.from({ length: 20 }, () => raw(port, head));
    await Promise.all(slow.map((socket) => once(socket, 'connect')));
    expect((await ask(server.baseURL, 'Hi')).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });

  it('answers hundreds of clients at once', async () => {
    const own = await serveInference({ models: MODELS, compatibility: 'hosted' });
    const answers = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const asked = request(`${own.baseURL}/chat/completions`, { method: 'POST', agent: false });
        asked.end(bodyOf('Hi'));
        const answer = await answered(asked);
        return [answer.statusCode, (await text(answer)).includes('Hello!')].join();
      }),
    );
    expect(new Set(answers)).toEqual(new Set(['200,true']));
    await own.close();
  });

  it('writes down speech while it is spoken', async () => {
    const asked = request(`${server.baseURL}/audio/transcriptions?model=listener&stream=true`, {
      method: 'POST',
      headers: { 'content-type': 'audio/pcm; rate=16000' },
    });
    asked.write(toPcm(soundOf(16_000, [-0.5, 1, -1])));
    const answer = await answered(asked);
    let written = '';
    const isDone = new Promise<void>((resolve) => answer.once('end', resolve));
    const heard = new Promise<void>((resolve) => {
      answer.on('data', (piece: Buffer) => {
        written += piece.toString();
        if (written.includes('morning')) resolve();
      });
    });
    await heard;
    // The body has not ended yet.
    expect(written).not.toContain('transcript.text.done');
    asked.end();
    await isDone;
    expect(written).toContain('transcript.text.done');
  });

  it('lets the model go when its client leaves', async () => {
    const controller = new AbortController();
    const init = { method: 'POST', body: bodyOf('slow', { stream: true }), signal: controller.signal };
    const answer = await fetch(`${server.baseURL}/chat/completions`, init);
    await answer.body!.getReader().read();
    controller.abort();
    expect((await ask(server.baseURL, 'Hi')).status).toBe(200);
  });

  it('answers a client that has closed its half of the connection', async () => {
    const body = bodyOf('Hi');
    const socket = raw(
      port,
      `POST /v1/chat/completions HTTP/1.1\r\nHost: LOCALHOST:${port}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.end();
    expect(await text(socket)).toMatch(/HTTP\/1\.1 200 OK[^]*Hello!/);
  });

  it.each([
    ['', 200],
    ['Host: localhost\r\n', 200],
    ['Host: evil.example\r\n', 403],
  ])('[Y38] a health check in HTTP/1.0 with the host %j gets %i', async (host, status) => {
    expect(await text(raw(port, `GET /health HTTP/1.0\r\n${host}\r\n`))).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it.each([
    ['/v1/models', 'LOCALHOST', 200, '"chat"'],
    ['/v1/models', 'evil.example', 403, 'localhost only, not for "evil.example"'],
    ['/models', 'localhost', 404, 'The base URL must end in `/v1`'],
    ['/chat/completions', 'localhost', 404, 'The base URL must end in `/v1`'],
    ['//localhost/v1/models', 'localhost', 404, 'The base URL must end in `/v1`'],
    ['//[/v1/models', 'localhost', 404, 'The base URL must end in `/v1`'],
    ['http://[', 'localhost', 404, 'names no address'],
    ['/health', 'localhost', 200, '"status":"ok"'],
    ['/v1/openapi.json', 'localhost', 200, '"openapi"'],
    ['/', 'localhost', 200, 'Ollama is running'],
    ['/api/tags', 'localhost', 200, '"chat'],
  ])('answers %s on %s with %i and says %s', async (path, host, status, part) => {
    const answer = await answered(request({ host: '127.0.0.1', port, path, headers: { host } }).end());
    expect(answer.statusCode).toBe(status);
    expect(await text(answer)).toContain(part);
  });

  it('refuses pages of other origins and says why', async () => {
    const headers = { host: `localhost:${port}`, origin: 'https://evil.example' };
    const answer = await answered(request({ host: '127.0.0.1', port, path: '/v1/models', headers }).end());
    expect([answer.statusCode, await text(answer)]).toEqual([403, expect.stringContaining('https://evil.example')]);
  });

  it.each([{}, { 'content-length': 41 * 1024 * 1024 }])('refuses a body that is too large (%o)', async (headers) => {
    const upload = request(`${server.baseURL}/chat/completions`, { method: 'POST', headers });
    upload.on('error', () => {});
    upload.write('content-length' in headers ? '{' : Buffer.alloc(41 * 1024 * 1024, 'x'));
    const answer = await answered(upload);
    expect([answer.statusCode, await text(answer)]).toEqual([413, expect.stringContaining('payload_too_large')]);
    upload.destroy();
  });

  it.each([
    ['/tokenize', { model: 'chat', prompt: 'A cat.' }, { count: expect.any(Number) }],
    ['/v2/rerank', { model: 'ranker', query: 'a cat', documents: ['a dog', 'a cat'], top_n: 1 }, { results: [{}] }],
    [
      '/v1/v1/messages',
      { model: 'chat', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
      { type: 'message' },
    ],
  ])('answers %s, which clients ask outside of the base', async (path, body, expected) => {
    const url = new URL(path, server.baseURL);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    expect([answer.status, await answer.json()]).toMatchObject([200, expected]);
  });

  it.each([true, 'memory', 100_000] as const)('stores responses until the server ends (%s)', async (storeResponses) => {
    const own = await serveInference({ models: MODELS, storeResponses });
    onTestFinished(() => own.close());
    const respond = async (body: object): Promise<{ id: string }> => {
      const init = { method: 'POST', body: JSON.stringify({ model: 'chat', store: true, ...body }) };
      return (await (await fetch(`${own.baseURL}/responses`, init)).json()) as { id: string };
    };
    const first = await respond({ input: 'Hi' });
    const second = await respond({ input: 'And?', previous_response_id: first.id });
    for (const { id } of [first, second]) {
      const stored = await fetch(`${own.baseURL}/responses/${id}`);
      expect([stored.status, await stored.json()]).toMatchObject([200, { id, status: 'completed' }]);
    }
  });

  it('asks for a key where there are keys', async () => {
    const own = await serveInference({ models: MODELS, apiKeys: ['secret'], compatibility: 'hosted' });
    const status = async (key: string): Promise<number> =>
      (await fetch(`${own.baseURL}/models`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect([await status('secret'), await status('another')]).toEqual([200, 401]);
    expect((await fetch(new URL('/health', own.baseURL))).status).toBe(200);
    await own.close();
  });

  describe.each(['0.0.0.0', '127.0.0.1'] as const)('on %s', (host) => {
    const isOpen = host === '0.0.0.0';

    it(`answers other names of this machine with a key only (${isOpen})`, async () => {
      const own = await serveInference({ models: MODELS, apiKeys: ['secret'], host, compatibility: 'hosted' });
      onTestFinished(() => own.close());
      const asked = async (path: string, headers: Record<string, string>): Promise<(number | string | undefined)[]> => {
        const answer = await answered(
          request({
            host: '127.0.0.1',
            port: new URL(own.baseURL).port,
            path,
            headers: { host: 'gpu.example:80', ...headers },
          }).end(),
        );
        return [answer.statusCode, await text(answer)];
      };
      const withKey = { authorization: 'Bearer secret' };
      expect((await asked('/v1/models', withKey))[0]).toBe(isOpen ? 200 : 403);
      expect((await asked('/v1/models', {}))[0]).toBe(isOpen ? 401 : 403);
      expect((await asked('/api/tags', {}))[0]).toBe(isOpen ? 401 : 403);
      // Pages of others have no business here, with a key or without.
      expect((await asked('/v1/models', { ...withKey, origin: 'https://evil.example' }))[0]).toBe(403);
      expect((await asked('/v1/models', { ...withKey, 'sec-fetch-site': 'cross-site' }))[0]).toBe(403);
      // The page that names the models asks for no key.
      const [, greeting] = await asked('/', { accept: 'text/html' });
      expect(greeting).toMatch(isOpen ? /^Ollama is running/ : /localhost only/);
    });
  });

  it.each([undefined, [], [{ key: 'old', revoked: true }]])(
    'does not listen for other machines without a key (%j)',
    async (apiKeys) => {
      const open = serveInference({ models: MODELS, host: '0.0.0.0', ...(apiKeys && { apiKeys }) });
      await expect(open).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'apiKeys' } });
    },
  );

  it('reads no body of a client without the key', async () => {
    const own = await serveInference({ models: MODELS, apiKeys: ['secret'], compatibility: 'hosted' });
    onTestFinished(() => own.close());
    const asked = request(`${own.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-length': 1_000, authorization: 'Bearer wrong' },
    });
    asked.on('error', () => {});
    // The rest never comes.
    asked.write('{');
    const answer = await answered(asked);
    expect([answer.statusCode, await text(answer)]).toEqual([401, expect.stringContaining('API key')]);
    asked.destroy();
  });

  it('records what models answer', async () => {
    await expect(server.recorded()).rejects.toMatchObject({ details: { param: 'record' } });
    const own = await serveInference({ models: MODELS, record: true });
    await (await ask(own.baseURL, 'Hi')).text();
    expect(await own.recorded()).toMatchObject([
      { id: 'chat', script: { replies: [{ recorded: expect.anything() }] } },
    ]);
    await own.close();
  });

  it('logs a line for each request, without bodies and queries', async () => {
    let printed = '';
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      printed += String(line);
      return true;
    });
    onTestFinished(() => write.mockRestore());
    const own = await serveInference({ models: MODELS, log: true });
    await (await ask(own.baseURL, 'my secret')).text();
    await (await fetch(`${own.baseURL}/nothing?key=hidden`)).text();
    await own.close();
    const lines = printed.split('\n').filter((line) => line.includes('/v1/'));
    expect(lines.map((line) => line.replace(/^\S+Z /, '').replace(/\d+ ms/, 'N ms'))).toEqual([
      'POST /v1/chat/completions 200 N ms',
      'GET /v1/nothing 404 N ms',
    ]);
    expect(printed).not.toMatch(/secret|hidden/);
  });
});

describe('clients that keep the gateway in Node waiting', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  async function listening(limits: { uploadMs: number; bodyBytes: number }): Promise<number> {
    const models = new ServedGateway(
      'http://localhost',
      { models: MODELS },
      { limits: { readingMs: 60_000, ...limits } },
    );
    const patience = { head: 5_000, request: 0, look: 1_000 };
    server = createLimitedServer(
      (asked, response) => void models.answer(`http://localhost${asked.url}`, asked, response),
      { patience },
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  it('get 408 for a body that does not come', async () => {
    const port = await listening({ uploadMs: 50, bodyBytes: 1_000_000 });
    const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n';
    const socket = raw(port, `${head}{`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 [^]*too slowly/);
    socket.destroy();
  });

  it('get 503 where all bodies together take too much memory, and are answered when there is room', async () => {
    const port = await listening({ uploadMs: 60_000, bodyBytes: 1_000 });
    const base = `http://127.0.0.1:${port}/v1`;
    const busy = await ask(base, 'x'.repeat(2_000));
    expect([busy.status, busy.headers.has('retry-after')]).toEqual([503, true]);
    await busy.text();
    // More than 1,000 bytes one after the other.
    for (let count = 0; count < 20; count += 1) {
      const answer = await ask(base, 'Hi');
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Hello!')]);
    }
  });
});
