import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import OpenAI, { NotFoundError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../src/index.js';
import { countingModel } from '../e2e/support/host-page.js';

const root = join(import.meta.dirname, '../..');
const { serveInference } = (await import(join(root, 'dist/serve.js'))) as typeof import('../../src/serve/index.js');
const { DEFAULT_MODELS } = await import('../../src/index.js');

const MODELS: ModelEntry[] = [
  ...DEFAULT_MODELS,
  countingModel(20_000, 100, 'endless'),
  countingModel(3, 0, 'quick'),
  { id: 'ranker', task: 'rerank', backend: 'scripted', script: { replies: [] } },
];

describe('serveInference', () => {
  let server: Awaited<ReturnType<typeof serveInference>>;
  let client: OpenAI;
  beforeAll(async () => {
    server = await serveInference({ models: MODELS });
    client = new OpenAI({ baseURL: server.baseURL, apiKey: 'none', maxRetries: 0 });
  });
  afterAll(() => server.close());

  const answered = async (asked: ReturnType<typeof request>): Promise<IncomingMessage> =>
    ((await once(asked, 'response')) as [IncomingMessage])[0];
  const statusOf = async (path: string, headers: IncomingHttpHeaders): Promise<number | undefined> => {
    const { port } = new URL(server.baseURL);
    const response = await answered(request({ host: '127.0.0.1', port, path, headers }).end());
    response.resume();
    return response.statusCode;
  };
  const modelsStatus = async (): Promise<number> => (await fetch(`${server.baseURL}/models`)).status;
  it('streams a chat to a program in Node', async () => {
    const stream = await client.chat.completions.create({
      model: 'tiny-chat',
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
      stream: true,
    });
    const pieces: string[] = [];
    for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? '');
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join('')).toContain('Paris');
  });

  it.each(['en-2.mp3', 'en-2.flac', 'en-2.ogg', 'en-2.opus.ogg', 'en-2.webm', 'en-2.m4a'])(
    '[Y51] hears %s as the page hears it',
    async (name) => {
      const bytes = readFileSync(join(root, 'test/fixtures/audio', name));
      const { text } = await client.audio.transcriptions.create({
        model: 'tiny-whisper',
        file: new File([new Uint8Array(bytes)], name),
      });
      expect(text).toBe('The airport opens on Monday. We are going to take a photo on Sunday.');
    },
  );

  it('[Y50] computes vectors without a browser', async () => {
    const { data } = await client.embeddings.create({ model: 'tiny-embed', input: ['one', 'two'], dimensions: 64 });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([64, 64]);
  });

  it('passes on errors as they are', async () => {
    await expect(
      client.chat.completions.create({ model: 'nobody', messages: [{ role: 'user', content: 'Hi' }] }),
    ).rejects.toBeInstanceOf(NotFoundError);
  });

  it('serves on when clients leave', async () => {
    const ask = { messages: [{ role: 'user' as const, content: 'Hi' }], model: 'endless', stream: true as const };
    const first: string[] = [];
    for (let round = 0; round < 3; round++) {
      const stream = await client.chat.completions.create(ask);
      for await (const chunk of stream) {
        const { content } = chunk.choices[0]?.delta ?? {};
        if (!content) continue;
        first.push(content);
        // Aborts the request.
        break;
      }
    }
    expect(first).toEqual(['w', 'w', 'w']);
  });

  it.each([
    ['/v1/models', 'evil.example', 403],
    ['http://evil.example/v1/models', 'localhost', 200],
    // A path, as every proxy before it reads it.
    ['//evil.example/v1/models', 'localhost', 404],
    ['//localhost/v1/models', 'localhost', 404],
    ['/v1/../elsewhere', 'localhost', 404],
    ['/', 'localhost', 200],
    ['/', 'evil.example', 403],
    ['http://[', 'localhost', 404],
  ])('answers %s on %s itself, with %i', async (path, host, status) => {
    expect(await statusOf(path, { host })).toBe(status);
  });

  it('is there for programs and its own page, not for the web pages of others', async () => {
    const { host, origin } = new URL(server.baseURL);
    const headers: IncomingHttpHeaders[] = [
      { origin },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'http://localhost:1' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    const statuses = await Promise.all(headers.map((more) => statusOf('/v1/models', { host, ...more })));
    expect(statuses).toEqual([200, 200, 200, 403, 403, 403, 403, 403]);
  });

  it('refuses a body that is too large while it still comes', async () => {
    const { port, host } = new URL(server.baseURL);
    const upload = request({
      host: '127.0.0.1',
      port,
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { host },
    });
    upload.write(Buffer.alloc(41 * 1024 * 1024, 'x'));
    const response = await answered(upload);
    expect(response.statusCode).toBe(413);
    expect(JSON.parse(await text(response))).toMatchObject({ error: { code: 'payload_too_large' } });
    upload.destroy();
  });

  it('refuses a body that says it is too large before it comes', async () => {
    const { port, host } = new URL(server.baseURL);
    const headers = { host, 'content-length': 41 * 1024 * 1024 };
    const upload = request({ host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST', headers });
    upload.write('{');
    const response = await answered(upload);
    expect(response.statusCode).toBe(413);
    expect(JSON.parse(await text(response))).toMatchObject({ error: { code: 'payload_too_large' } });
    upload.destroy();
  });

  it('answers others while a large body comes', async () => {
    const { port, host } = new URL(server.baseURL);
    const upload = request({
      host: '127.0.0.1',
      port,
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { host, 'content-type': 'application/json' },
    });
    upload.write(`{"model":"quick","messages":[{"role":"user","content":"Hi"}],"padding":"`);
    upload.write(Buffer.alloc(20 * 1024 * 1024, 'x'));
    expect(await modelsStatus()).toBe(200);
    upload.end('"}');
    const response = await answered(upload);
    expect(response.statusCode).toBe(200);
    expect(await text(response)).toContain('w2');
  });

  it('refuses TRACE as any other method that a path does not take', async () => {
    const { port, host } = new URL(server.baseURL);
    const asked = request({
      host: '127.0.0.1',
      port,
      path: '/v1/chat/completions',
      method: 'TRACE',
      headers: { host },
    });
    const response = await answered(asked.end());
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'POST']);
  });

  it('reads a body that was packed with gzip', async () => {
    const body = JSON.stringify({ model: 'quick', messages: [{ role: 'user', content: 'Hi' }] });
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const response = await fetch(`${server.baseURL}/chat/completions`, {
      method: 'POST',
      headers,
      body: new Uint8Array(gzipSync(body)),
    });
    expect(await response.text()).toContain('w2');
  });

  it('says what it is to whoever opens it, with lines to copy', async () => {
    const root = new URL('/', server.baseURL);
    const response = await fetch(root, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(response.headers.get('content-type')).toContain('text/html');
    const page = await response.text();
    for (const part of ['<code>tiny-chat</code>', 'new OpenAI(', 'new Anthropic(']) expect(page).toContain(part);
    const [, lines] = /<pre>(curl [^]*?)<\/pre>/.exec(page)!;
    const line = lines!.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
    const { stdout } = await promisify(execFile)('sh', ['-c', line]);
    expect(stdout).toContain('Paris');
  });

  it('[O02] tells programs at its root that Ollama is running', async () => {
    const root = new URL('/', server.baseURL);
    const answer = await fetch(root);
    expect([answer.status, await answer.text()]).toEqual([200, 'Ollama is running']);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    const head = await fetch(root, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(await (await fetch(new URL('/api/version', root))).json()).toEqual({ version: expect.any(String) });
  });

  it("[O01] has Ollama's operations at its root and below its prefix", async () => {
    const body = JSON.stringify({ model: 'quick', messages: [{ role: 'user', content: 'Hi' }] });
    for (const base of [new URL('/', server.baseURL).href, `${server.baseURL}/`]) {
      const answer = await fetch(`${base}api/chat`, { method: 'POST', body });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
      const lines = (await answer.text()).trim().split('\n');
      expect(JSON.parse(lines.at(-1)!)).toMatchObject({ model: 'quick', done: true });
      const unknown = await fetch(`${base}api/nothing`);
      expect([unknown.status, await unknown.json()]).toEqual([404, { error: expect.any(String) }]);
    }
  });

  const postJson = (path: string, body: object): Promise<Response> =>
    fetch(new URL(path, server.baseURL), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const chat = { messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 5, model: 'quick' };

  it.each([
    ["Anthropic's client whose base ends in /v1", '/v1/v1/messages', chat, { type: 'message', role: 'assistant' }],
    [
      "Cohere's client, below the origin",
      '/v2/rerank',
      { model: 'ranker', query: 'a cat', documents: ['a dog', 'a cat'], top_n: 1 },
      { results: [{ index: 1 }] },
    ],
    ["vLLM's tokenizer, at the root", '/tokenize', { model: 'quick', prompt: 'A cat.' }, { count: 3 }],
  ])('answers %s', async (_, path, body, expected) => {
    const response = await postJson(path, body);
    expect([response.status, await response.json()]).toMatchObject([200, expected]);
  });

  it("tells of tiny-chat's tokens and reads them", async () => {
    const { tokens } = (await (await postJson('/tokenize', { prompt: 'Once upon a time' })).json()) as {
      tokens: number[];
    };
    expect(await (await postJson('/detokenize', { tokens })).json()).toEqual({ prompt: 'Once upon a time' });
    const info: unknown = await (await fetch(new URL('/tokenizer_info', server.baseURL))).json();
    expect(info).toMatchObject({ model: 'tiny-chat', eos_token: '<|im_end|>', model_max_length: 2048 });
  });

  it.each(['/chat/completions', '/messages', '/responses', '/embeddings'])(
    'says which base %s is missing',
    async (path) => {
      const response = await postJson(path, chat);
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('The base URL must end in `/v1`.');
    },
  );

  it('says which option is wrong', async () => {
    await expect(serveInference({ prefix: 'v1' })).rejects.toMatchObject({
      message: expect.stringMatching(/^The option `prefix` must be/) as string,
      param: 'prefix',
    });
    await expect(serveInference({ model: [] } as object)).rejects.toThrow('Did you mean `models`?');
    await expect(serveInference({ intercept: [] } as object)).rejects.toThrow('`intercept` is not an option');
    await expect(serveInference({ port: 'many' } as object)).rejects.toThrow('The option `port` must be');
  });
});

describe('inpage serve', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-serve-'));
  let child: ChildProcess | undefined;
  afterAll(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  it('prints where it serves, and ends when it is told to', async () => {
    const config = join(folder, 'options.json');
    writeFileSync(config, JSON.stringify({ models: [countingModel(3, 0, 'quick')] }));
    const args = ['serve', '--port', '0', '--config', config];
    child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    const baseURL = /http:\S+/.exec(line.toString())?.[0];
    const models = (await (await fetch(`${baseURL}/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(['quick']);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('[Y42] names its models in its first line, and prints a line for each request', async () => {
    const config = join(folder, 'options.json');
    writeFileSync(config, JSON.stringify({ models: [countingModel(3, 0, 'quick')] }));
    const args = ['serve', '--port', '0', '--log', '--config', config];
    child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout!.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    await expect.poll(() => printed, { timeout: 60_000 }).toMatch(/^inpage: serving http:\S+ with quick\n/);
    const baseURL = /serving (http:\S+)/.exec(printed)![1]!;
    const openai = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
    const asked = { model: 'quick', messages: [{ role: 'user' as const, content: 'Hi' }] };
    expect((await openai.chat.completions.create(asked)).choices[0]?.message.content).toContain('w2');
    await expect.poll(() => printed).toMatch(/Z POST \/v1\/chat\/completions 200 \d+ ms\n/);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('ends when the program that started it is killed', async () => {
    const config = join(folder, 'options.json');
    writeFileSync(config, JSON.stringify({ models: [countingModel(3, 0, 'quick')] }));
    const args = [join(root, 'dist/cli.js'), 'serve', '--port', '0', '--config', config];
    const starting = `require('node:child_process').spawn(process.execPath, ${JSON.stringify(args)}, { stdio: 'inherit' })`;
    child = spawn(process.execPath, ['-e', starting], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    const baseURL = /http:\S+/.exec(line.toString())![0];
    expect((await fetch(`${baseURL}/models`)).status).toBe(200);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await expect
      .poll(
        () =>
          fetch(`${baseURL}/models`).then(
            () => 'served',
            () => 'gone',
          ),
        { timeout: 50_000 },
      )
      .toBe('gone');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('[Y34] ends by %s with 0, while it streams too', async (signal) => {
    const config = join(folder, 'options.json');
    writeFileSync(config, JSON.stringify({ models: [countingModel(20_000, 100, 'endless')] }));
    const args = ['serve', '--port', '0', '--config', config];
    child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    const body = JSON.stringify({ model: 'endless', stream: true, messages: [{ role: 'user', content: 'Hi' }] });
    const ask = () => fetch(`${/http:\S+/.exec(line.toString())![0]}/chat/completions`, { method: 'POST', body });
    const left = await ask();
    await left.body!.cancel();
    const reader = (await ask()).body!.getReader();
    await reader.read();
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
    await expect(reader.closed).rejects.toThrow(/terminated/);
  });

  it('makes up a key on request, and prints the lines that use it', async () => {
    const config = join(folder, 'options.json');
    writeFileSync(config, JSON.stringify({ models: [countingModel(3, 0, 'quick'), ...DEFAULT_MODELS.slice(0, 2)] }));
    const args = ['serve', '--port', '0', '--key', '--config', config];
    child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout!.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    await expect.poll(() => printed, { timeout: 60_000 }).toMatch(/new Anthropic\(.*\)/);
    const [, baseURL, apiKey] =
      /new OpenAI\(\{ baseURL: '([^']+)', apiKey: '(sk-inpage-[\w-]{32})' \}\)/.exec(printed) ?? [];
    const status = async (key: string): Promise<number> =>
      (await fetch(`${baseURL}/models`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await status(apiKey!)).toBe(200);
    expect(await status('another')).toBe(401);
    // Its terminal is closed.
    child.kill('SIGHUP');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
