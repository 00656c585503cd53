import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLimitedServer } from '../../../src/node/bridge/serve-inference.js';

describe('a server that slow clients cannot hold', () => {
  let server: Server;
  beforeAll(async () => {
    server = createLimitedServer(
      (request, response) => {
        let length = 0;
        request.on('data', (piece: Buffer) => (length += piece.length));
        // Longer than any request may take.
        const pause = request.url === '/slow-answer' ? 1_000 : 0;
        request.on('end', () => setTimeout(() => response.end(String(length)), pause));
      },
      { head: 200, request: 600, look: 50 },
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const port = (): number => (server.address() as AddressInfo).port;

  /** Sends a beginning, and then a byte now and then for as long as anybody listens; gives what came back. */
  async function drip(beginning: string): Promise<string> {
    const socket: Socket = connect(port(), '127.0.0.1');
    const dripping = setInterval(() => socket.writable && socket.write('x'), 20);
    const answer = await exchange(socket, beginning);
    clearInterval(dripping);
    return answer;
  }

  async function exchange(socket: Socket, text: string): Promise<string> {
    socket.write(text);
    let answer = '';
    socket.on('error', () => {}); // What is written after the end is lost.
    socket.on('data', (data: Buffer) => (answer += data.toString()));
    await once(socket, 'close');
    return answer;
  }

  it('gives up on a head that comes byte by byte', async () => {
    expect(await drip('GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('gives up on a body that comes byte by byte', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n';
    expect(await drip(head)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('answers others meanwhile', async () => {
    const slow = Array.from({ length: 50 }, () => drip('POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: '));
    const answer = await fetch(`http://127.0.0.1:${port()}/`, { method: 'POST', body: 'four' });
    expect(await answer.text()).toBe('4');
    await Promise.all(slow);
  });

  it('takes its time for an answer', async () => {
    const answer = await fetch(`http://127.0.0.1:${port()}/slow-answer`, { method: 'POST', body: 'four' });
    expect(await answer.text()).toBe('4');
  });

  it.each([
    ['Host: localhost\r\nHost: localhost\r\n', 400],
    ['Host: localhost\r\nhost: evil.example\r\n', 400],
    ['', 400],
    ['Host: localhost\r\n', 200],
  ])('answers a request with %j as HTTP wants it: %i', async (hosts, status) => {
    const request = `GET / HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`;
    const answer = await exchange(connect(port(), '127.0.0.1'), request);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});
