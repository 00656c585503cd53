import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLimitedServer } from '../../../src/serve/limited-server.js';
import { sendResponse } from '../../../src/serve/http/exchange.js';
import type { ResponseChunk } from '../../../src/relay/protocol.js';
import { StreamedResponse } from '../../../src/relay/stream/streamed-response.js';

async function serve(listener: RequestListener): Promise<(bytes: string) => Socket> {
  const server = createLimitedServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (bytes) => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.write(bytes);
    return socket;
  };
}

/** Requests that are at work, and never answered by themselves. */
async function serveForever(): Promise<{ open: (bytes: string) => Socket; begun: ServerResponse[]; paths: string[] }> {
  const begun: ServerResponse[] = [];
  const paths: string[] = [];
  const open = await serve((request, response) => {
    request.resume();
    paths.push(request.url!);
    begun.push(response);
  });
  return { open, begun, paths };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

describe('a client that leaves', () => {
  it('[Y27] is noticed by its FIN, before anything of the answer was sent', async () => {
    const { open, begun } = await serveForever();
    const socket = open(get('/'));
    await vi.waitUntil(() => begun.length === 1);
    socket.destroy();
    await expect.poll(() => begun[0]!.destroyed).toBe(true);
  });

  it.each(['text/event-stream; charset=utf-8', 'application/x-ndjson'])(
    '[Y27] is noticed by its FIN in a silent %s',
    async (type) => {
      let isCancelled = false;
      const silent = (): ReadableStream<ResponseChunk> =>
        new ReadableStream({
          start: (controller) => controller.enqueue({ bytes: new TextEncoder().encode('first\n\n') }),
          cancel: () => void (isCancelled = true),
        });
      const open = await serve((_, response) => {
        const answer = new StreamedResponse(silent(), { headers: { 'content-type': type } });
        sendResponse(answer, response).catch(() => {});
      });
      const socket = open(get('/'));
      await once(socket, 'data');
      socket.destroy();
      await expect.poll(() => isCancelled).toBe(true);
    },
  );

  it('[Y27] gets its whole answer where it has closed its sending half only, whenever that comes', async () => {
    const open = await serve((_, response) => void setTimeout(() => response.end('the answer'), 400));
    const socket = open(get('/'));
    socket.end();
    const received = await text(socket);
    expect(received).toContain('HTTP/1.1 200 OK');
    expect(received).toContain('the answer');
    const old = open('GET / HTTP/1.0\r\n\r\n');
    old.end();
    expect(await text(old)).toMatch(/^HTTP\/1\.1 200 OK[^]*the answer$/);
  });
});

it('[Y27] a client that sends a body which is read late is told nothing before its answer', async () => {
  const open = await serve((request, response) => {
    setTimeout(() => {
      request.resume().once('end', () => response.end('the answer'));
    }, 700);
  });
  const body = 'x'.repeat(2_000_000);
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  expect(await text(open(head + body))).toMatch(/^HTTP\/1\.1 200 OK/);
});

describe('requests that are sent ahead', () => {
  it('[Y28] are answered in their order, one at a time', async () => {
    let atWork = 0;
    let most = 0;
    const open = await serve((request, response) => {
      most = Math.max(most, (atWork += 1));
      const answer = async (): Promise<void> => {
        const body = await text(request);
        await new Promise((resolve) => setTimeout(resolve, 2));
        atWork -= 1;
        response.end(`<${request.url}${body}>`);
      };
      void answer();
    });
    const post = (path: string): string => `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc`;
    const paths = Array.from({ length: 400 }, (_, index) => `/${index}`);
    const socket = open(paths.map((path, index) => (index % 2 ? get(path) : post(path))).join(''));
    socket.end();
    const received = await text(socket);
    expect([...received.matchAll(/<(\/\d+)(?:abc)?>/g)].map(([, path]) => path)).toEqual(paths);
    expect(most).toBe(1);
  });

  it.each([
    ['resets its connection', 3, (socket: Socket) => socket.resetAndDestroy()],
    ['closes its connection', 3, (socket: Socket) => socket.destroy()],
    ['closes its connection, with more than is read ahead', 1_500, (socket: Socket) => socket.destroy()],
  ])('[Y28] end with the one that runs when their client %s', async (_, count, leave) => {
    const { open, begun, paths } = await serveForever();
    const socket = open(Array.from({ length: count }, (_, index) => get(`/${index}`)).join(''));
    await vi.waitUntil(() => begun.length === 1);
    leave(socket);
    await vi.waitUntil(() => begun[0]!.destroyed);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(paths).toEqual(['/0']);
  });

  it('[Y28] are not read without an end while the first is at work', async () => {
    const connections: IncomingMessage[] = [];
    const open = await serve((request) => void connections.push(request));
    open(get('/first').repeat(50_000));
    await vi.waitUntil(() => connections.length === 1 && connections[0]!.socket.isPaused());
    expect(connections[0]!.socket.bytesRead).toBeLessThan(500_000);
  });
});
