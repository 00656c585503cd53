/**
 * The service over scripted models on a real port, for clients in processes of their own. Prints its base URL; below
 * `/hosted/v1` the same models answer with `compatibility: 'hosted'`, which stores responses. Its arguments are the clients.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { App } from '../../src/service/http/app.js';
import { ResponseStorage } from '../../src/service/response-storage.js';
import { buildApp } from '../support/build-app.js';
import { matrixModels } from './models.js';

const models = matrixModels(process.argv.slice(2));
const rateLimits = { requestsPerMinute: 1_000_000 };
const HOSTED = '/hosted/v1';
const { app } = await buildApp({ models, rateLimits });
// As `inpage serve` has Ollama's operations at its root.
const { app: root } = await buildApp({ models, rateLimits, prefix: '' });
const kept = new ResponseStorage('memory', { now: Date.now, service: HOSTED });
const { app: hosted } = await buildApp({
  models,
  rateLimits,
  prefix: HOSTED,
  compatibility: 'hosted',
  ...kept.optionsFor('hosted'),
});
// A busy client may ask again when a connection would just be closed for being idle.
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  const { url = '/' } = request;
  const service = url.startsWith(HOSTED) ? hosted : url.startsWith('/api/') ? root : app;
  void answer(service, request, response);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`);

async function answer(service: App, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { method = 'GET', headers, url = '/' } = request;
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const answered = await service.fetch(
    new Request(`http://${headers.host}${url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
      signal: gone.signal,
      ...(method !== 'GET' && method !== 'HEAD' && { body: Buffer.concat(pieces) }),
    }),
  );
  response.writeHead(answered.status, [...answered.headers].flat());
  if (answered.body) Readable.fromWeb(answered.body as never).pipe(response);
  else response.end();
}

// Parts of the service are imported when they are needed, and the runner of this file imports nothing once it is done.
await new Promise(() => {});
