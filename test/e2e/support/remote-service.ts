/** A remote `/v1` on another origin: this library again, over scripted models, behind a plain HTTP server. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { ModelEntry } from '../../../src/index.js';
import { buildApp } from '../../support/build-app.js';

export interface RemoteService {
  baseURL: string;
  /** Method, path and credentials of every request that came, preflights left out. */
  requests: { line: string; authorization: string | undefined }[];
  /** Answers whose reader left before their end. */
  left: number;
  close(): Promise<void>;
}

/** Serves these models to pages of every origin. */
export async function serveRemote(models: ModelEntry[]): Promise<RemoteService> {
  const { app } = await buildApp({ models });
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service: RemoteService = {
    baseURL: `${origin}/v1`,
    requests: [],
    left: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    outgoing.setHeader('access-control-allow-origin', '*');
    outgoing.setHeader('access-control-allow-headers', 'authorization, content-type');
    if (incoming.method === 'OPTIONS') return void outgoing.writeHead(204).end();
    const { authorization } = incoming.headers;
    service.requests.push({ line: `${incoming.method} ${incoming.url}`, authorization });
    const gone = new AbortController();
    outgoing.on('close', () => {
      if (outgoing.writableEnded) return;
      service.left += 1;
      gone.abort();
    });
    const headers = { 'content-type': incoming.headers['content-type'] ?? '' };
    const init = { method: incoming.method ?? 'GET', headers, body: await buffer(incoming), signal: gone.signal };
    const response = await app.fetch(new Request(origin + incoming.url, init));
    outgoing.writeHead(response.status, { 'content-type': response.headers.get('content-type') ?? '' });
    try {
      for await (const bytes of response.body ?? []) outgoing.write(bytes);
      outgoing.end();
    } catch {
      outgoing.destroy();
    }
  }

  return service;
}
