import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendUnknownPath, servedPath } from '../../src/serve/unknown-path.js';

let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer(({ url }, response) => sendUnknownPath(response, url!, '/v1'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it.each([
  ['/chat/completions', { error: { type: 'not_found_error', param: null } }],
  ['/messages', { type: 'error', error: { type: 'not_found_error' } }],
])('a base without the prefix is told at %s', async (path, body) => {
  const response = await fetch(origin + path, { method: 'POST' });
  expect(response.status).toBe(404);
  const answer: unknown = await response.json();
  expect(answer).toMatchObject(body);
  expect(JSON.stringify(answer)).toContain('must end in `/v1`');
});

it("Cohere's second version is served below the origin", () => {
  expect(servedPath('/v2/rerank', '/v1')).toBe('/v1/v2/rerank');
  expect(servedPath('/v2/chat', '/v1')).toBeUndefined();
});

it.each(['/tokenize', '/detokenize', '/tokenizer_info'])("vLLM's %s is served below the origin", (path) => {
  expect(servedPath(path, '/v1')).toBe(`/v1${path}`);
  expect(servedPath(`${path}/x`, '/v1')).toBeUndefined();
});

it("Ollama's operations are served below the origin, but where the prefix takes their place", () => {
  expect(servedPath('/api/chat', '/v1')).toBe('/v1/api/chat');
  expect(servedPath('/api', '/llm')).toBe('/llm/api');
  expect(servedPath('/apis', '/v1')).toBeUndefined();
  expect(servedPath('/api/chat', '/api/v1')).toBeUndefined();
});
