/**
 * A cluster behind an `upstream` entry: two replicas that answer as llama.cpp's server under Ray Serve does, one of which may
 * die in mid-answer.
 */
import { once } from 'node:events';
import { createServer, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type InferenceServer, serveInference } from '../../src/serve/serve-inference.js';

interface Asked {
  model: string;
  stream?: boolean;
  messages: { content: string }[];
  tools?: unknown[];
  response_format?: { type: string };
}

const asks = (content: string): { role: 'user'; content: string }[] => [{ role: 'user', content }];

describe('[Y56] a cluster behind an upstream entry', () => {
  let proxy: Server;
  let server: InferenceServer;
  /** Answers that are being made, by replica. */
  const active: Set<ServerResponse>[] = [new Set(), new Set()];
  const answered = [0, 0];
  let next = 0;

  function answer(asked: Asked, response: ServerResponse): void {
    const replica = next++ % 2;
    answered[replica]! += 1;
    active[replica]!.add(response);
    response.once('close', () => active[replica]!.delete(response));
    const message = messageFor(asked);
    const said = asked.messages.at(-1)!.content;
    if (!asked.stream) {
      // Never ends by itself.
      if (said === 'endless') return;
      const choices = [{ index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ id: 'x', object: 'chat.completion', choices, usage: USAGE }));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const { content, tool_calls: calls } = message;
    send(response, { role: 'assistant', content: null });
    if (calls) send(response, { tool_calls: calls.map((call) => ({ index: 0, ...call })) });
    for (const piece of (content ?? '').match(/.{1,4}/g) ?? []) send(response, { content: piece });
    if (said === 'endless') return;
    send(response, {}, calls ? 'tool_calls' : 'stop');
    response.end('data: [DONE]\n\n');
  }

  beforeAll(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    proxy = createServer((asked, response) => {
      void text(asked).then((body) => answer(JSON.parse(body) as Asked, response));
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const source = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`;
    server = await serveInference({
      models: [{ id: 'far', task: 'chat', backend: 'upstream', source, upstreamModel: 'tiny-chat' }],
      compatibility: 'hosted',
    });
  });
  afterEach(() => {
    for (const response of active.flatMap((each) => [...each])) response.destroy();
  });
  afterAll(async () => {
    await server.close();
    proxy.closeAllConnections();
    proxy.close();
    vi.restoreAllMocks();
  });

  const post = async (path: string, body: object): Promise<{ status: number; text: string }> => {
    const response = await fetch(server.baseURL + path, {
      method: 'POST',
      body: JSON.stringify({ model: 'far', ...body }),
    });
    return { status: response.status, text: await response.text() };
  };

  it.each([
    ['/chat/completions', { messages: asks('Hi') }],
    ['/messages', { messages: asks('Hi'), max_tokens: 20 }],
    ['/responses', { input: 'Hi' }],
    ['/api/chat', { messages: asks('Hi') }],
  ])('every dialect, streamed and whole: %s', async (path, body) => {
    for (const stream of [false, true]) {
      const given = await post(path, { ...body, stream });
      expect([given.status, given.text.replaceAll(/[^A-Za-z ]/g, '')]).toEqual([200, expect.stringContaining('From')]);
    }
  });

  it.each([false, true])('tools and strict JSON, stream %s', async (stream) => {
    const parameters = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const tools = [{ type: 'function', function: { name: 'weather', parameters } }];
    expect((await post('/chat/completions', { messages: asks('Hi'), tools, stream })).text).toMatch(
      /"name":"weather"[^]*Oslo/,
    );
    const format = { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: parameters } };
    const strict = await post('/chat/completions', { messages: asks('Hi'), response_format: format, stream });
    expect([strict.status, JSON.parse(contentOf(strict.text))]).toEqual([200, { city: 'Oslo' }]);
  });

  it('64 requests at once reach both replicas', async () => {
    const before = [...answered];
    const all = await Promise.all(
      Array.from({ length: 64 }, () => post('/chat/completions', { messages: asks('Hi') })),
    );
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answered.map((count, replica) => count - before[replica]!)).toEqual([32, 32]);
  });

  it.each([false, true])('a client that leaves ends the computing there, stream %s', async (stream) => {
    const { port } = new URL(server.baseURL);
    const asked = request({
      port,
      host: '127.0.0.1',
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { host: 'localhost' },
    });
    asked.on('error', () => {});
    asked.end(JSON.stringify({ model: 'far', stream, messages: asks('endless') }));
    await expect.poll(() => active[0]!.size + active[1]!.size).toBe(1);
    asked.destroy();
    await expect.poll(() => active[0]!.size + active[1]!.size, { timeout: 5_000 }).toBe(0);
  });

  it.each([
    ['/chat/completions', { messages: asks('endless') }, /"error":\{[^]*"unavailable"/],
    ['/messages', { messages: asks('endless'), max_tokens: 20 }, /event: error\ndata: \{"type":"error"/],
    ['/responses', { input: 'endless' }, /"type":"(response\.failed|error)"/],
  ])(
    'a replica that dies in mid-answer is an error event of %s, and the next is answered',
    async (path, body, event) => {
      const failed = post(path, { ...body, stream: true });
      await expect.poll(() => active[0]!.size + active[1]!.size).toBe(1);
      const [response] = [...active[0]!, ...active[1]!] as [ServerResponse];
      setTimeout(() => response.destroy(), 50);
      expect((await failed).text).toMatch(event);
      expect((await post('/chat/completions', { messages: asks('Hi') })).status).toBe(200);
    },
  );
});

/** Of a whole answer, or of all events of a stream. */
function contentOf(answer: string): string {
  const pieces = [...answer.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)];
  return pieces.map(([, json]) => JSON.parse(json!) as string).join('');
}

const USAGE = { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 };

interface Message {
  role: 'assistant';
  content: string | null;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
}

function messageFor({ tools, response_format: format }: Asked): Message {
  const place = '{"city":"Oslo"}';
  if (format?.type === 'json_schema') return { role: 'assistant', content: place };
  if (!tools?.length) return { role: 'assistant', content: 'From afar' };
  const call = { id: 'call_1', type: 'function' as const, function: { name: 'weather', arguments: place } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}

function send(response: ServerResponse, delta: object, finish: string | null = null): void {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  response.write(`data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices })}\n\n`);
}
