/** A remote service that is away, and the model that answers meanwhile. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TypedModelEntry } from '../../src/core/models/model-entry.js';
import { type InferenceServer, serveInference } from '../../src/serve/serve-inference.js';

const ANSWER = {
  choices: [{ index: 0, delta: { content: 'From afar.' }, finish_reason: 'stop' }],
};

describe('[Y55] a fallback of a remote service', () => {
  let remote: Server;
  let server: InferenceServer;
  let answer: RequestListener;
  let asked = 0;

  async function serve(): Promise<void> {
    const source = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/v1`;
    const near = (id: string, task: 'chat' | 'rerank'): TypedModelEntry => ({
      id,
      task,
      backend: 'scripted',
      script: { replies: task === 'chat' ? [{ text: 'From here.' }] : [] },
    });
    server = await serveInference({
      models: [
        { id: 'far', task: 'chat', backend: 'upstream', source, fallback: 'near' },
        { id: 'far-ranker', task: 'rerank', backend: 'upstream', source, fallback: 'near-ranker' },
        near('near', 'chat'),
        near('near-ranker', 'rerank'),
      ],
      compatibility: 'hosted',
    });
  }
  beforeAll(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    remote = createServer((request, response) => {
      asked += 1;
      request.resume();
      answer(request, response);
    });
    await once(remote.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    await server.close();
    vi.unstubAllGlobals();
    asked = 0;
  });
  afterAll(() => {
    remote.closeAllConnections();
    remote.close();
  });

  const chat = async (stream = false): Promise<{ status: number; text: string }> => {
    const body = JSON.stringify({ model: 'far', stream, messages: [{ role: 'user', content: 'Hi' }] });
    const response = await fetch(`${server.baseURL}/chat/completions`, { method: 'POST', body });
    return { status: response.status, text: await response.text() };
  };
  const status =
    (code: number): RequestListener =>
    (_, response) =>
      void response.writeHead(code, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
  const stream: RequestListener = (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${JSON.stringify(ANSWER)}\n\ndata: [DONE]\n\n`);

  it.each<[string, RequestListener]>([
    ['cannot be reached', (request) => void request.socket.destroy()],
    ['says 502', status(502)],
    ['says 503', status(503)],
    ['says 504', status(504)],
  ])('answers where the service %s, and the service is then left alone', async (_, away) => {
    answer = away;
    await serve();
    for (const streamed of [false, true, false]) {
      const given = await chat(streamed);
      expect([given.status, given.text]).toEqual([200, expect.stringMatching(/"model":"near"/)]);
      expect(given.text).toMatch(streamed ? /From/ : /From here\./);
    }
    expect(asked).toBe(1);
    const body = JSON.stringify({ model: 'far-ranker', query: 'a cat', documents: ['a dog', 'a cat'] });
    const ranked = await fetch(`${server.baseURL}/rerank`, { method: 'POST', body });
    expect(await ranked.json()).toMatchObject({ model: 'near-ranker', results: [{ index: 1 }, { index: 0 }] });
  });

  it('asks the service again after 10 s', async () => {
    answer = status(503);
    await serve();
    await chat();
    answer = stream;
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 10_100);
    expect((await chat()).text).toContain('From afar.');
    vi.mocked(performance.now).mockRestore();
  });

  it.each([500, 429, 400, 401])('does not answer for a service that says %i', async (code) => {
    answer = status(code);
    await serve();
    expect((await chat()).status).toBeGreaterThanOrEqual(400);
  });

  it('does not answer where a part was sent on', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'From' } }] })}\n\n`);
      setTimeout(() => response.destroy(), 20);
    };
    await serve();
    const { text } = await chat(true);
    expect(text).toContain('"model":"far"');
    expect(text).toContain('error');
    expect(text).not.toContain('near');
  });

  it('does not ask the service where the device knows that it has no network', async () => {
    answer = stream;
    await serve();
    vi.stubGlobal('navigator', { onLine: false });
    expect((await chat()).text).toContain('From here.');
    expect(asked).toBe(0);
  });

  it('is refused for embeddings by name, and for sound', async () => {
    answer = stream;
    await serve();
    for (const task of ['embeddings', 'speech-to-text'] as const) {
      const far: TypedModelEntry = {
        id: 'a',
        task,
        backend: 'upstream',
        source: 'http://127.0.0.1:9/v1',
        fallback: 'b',
      };
      const script = { replies: [] };
      const near = { id: 'b', task, backend: 'scripted', script } as TypedModelEntry;
      await expect(serveInference({ models: [far, near] })).rejects.toMatchObject({
        details: { param: 'models.0.fallback' },
      });
    }
  });
});
