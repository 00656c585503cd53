import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { sendResponse, toRequest } from '../../../src/serve/http/exchange.js';
import { streamedResponse } from '../../support/streamed-response.js';

const PIECE = new Uint8Array(64 * 1024).fill(65);
/** More than both ends of a connection hold. */
const WHOLE_BYTES = 64 * 1024 * 1024;

/** What a client that reads nothing gets, once the server has ended its connection. */
async function bytesForIdleReader(answer: Response): Promise<number> {
  const server = createServer((_, response) => {
    sendResponse(answer, response, { readerPatienceMs: 50 }).catch(() => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  // The server resets the connection, maybe.
  socket.on('error', () => {}).pause();
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  try {
    const [connection] = (await once(server, 'connection')) as [Socket];
    // Nothing but the server's own clock ends it: the client stays, and is silent.
    if (!connection.destroyed) await once(connection, 'close');
    let received = 0;
    socket.on('data', (bytes) => (received += bytes.length));
    const isClosed = once(socket, 'close');
    socket.resume();
    await isClosed;
    return received;
  } finally {
    socket.destroy();
    server.close();
  }
}

it('lets go of a client that reads nothing of a stream, and of what makes the stream', async () => {
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(PIECE),
    cancel: () => void (cancelled = true),
  });
  const received = await bytesForIdleReader(streamedResponse(endless));
  expect(received).toBeLessThan(WHOLE_BYTES);
  expect(cancelled).toBe(true);
});

it('lets go of a client that reads nothing of a whole answer', async () => {
  const whole = new Response(new Uint8Array(WHOLE_BYTES), { headers: { 'content-type': 'application/json' } });
  expect(await bytesForIdleReader(whole)).toBeLessThan(WHOLE_BYTES);
});

it('sends a large answer whole to a client that reads', async () => {
  const text = 'ab'.repeat(500_000);
  const server = createServer((_, response) => {
    const answer = new Response(text, { headers: { 'content-type': 'application/json' } });
    void sendResponse(answer, response, { readerPatienceMs: 60_000 });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect((await answer.text()) === text).toBe(true);
  server.close();
  server.closeAllConnections();
});

it('makes a request that aborts with its signal', async () => {
  const controller = new AbortController();
  const asked = { method: 'POST', headers: { 'content-type': 'text/plain' } } as unknown as IncomingMessage;
  const body = new Uint8Array([72, 105]);
  const made = toRequest(asked, { url: 'http://localhost/v1', body, signal: controller.signal });
  expect([made.method, made.headers.get('content-type'), await made.text()]).toEqual(['POST', 'text/plain', 'Hi']);
  expect(made.signal.aborted).toBe(false);
  controller.abort();
  expect(made.signal.aborted).toBe(true);
});
