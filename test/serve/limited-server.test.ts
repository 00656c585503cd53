import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Agent, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLimitedServer } from '../../src/serve/limited-server.js';

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
      { patience: { head: 200, request: 600, look: 50 } },
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

describe('a server of few connections', () => {
  it('tells those that are too many when to come again', async () => {
    const waiting: ServerResponse[] = [];
    const server = createLimitedServer((_, response) => void waiting.push(response), { connections: 2 });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const ask = async (): Promise<IncomingMessage> => {
      const [answer] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
      answer.resume();
      return answer;
    };
    const first = [ask(), ask()];
    await vi.waitUntil(() => waiting.length === 2);
    const { statusCode, headers } = await ask();
    expect([statusCode, headers['retry-after'], headers.connection]).toEqual([503, '1', 'close']);
    for (const response of waiting) response.end();
    expect((await Promise.all(first)).map((answer) => answer.statusCode)).toEqual([200, 200]);
  });
});

it('closes no connection before its client would, but makes room for others by those that wait', async () => {
  const server = createLimitedServer((_, response) => void response.end('answered'), { connections: 1 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const ask = async (options: object): Promise<IncomingMessage> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const [answer] = (await once(get(url, options), 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return answer;
  };
  const { headers } = await ask({ agent });
  expect(Number(/timeout=(\d+)/.exec(String(headers['keep-alive']))![1])).toBeGreaterThan(60);
  expect((await ask({ agent: false })).statusCode).toBe(503);
  await expect.poll(async () => (await ask({ agent: false })).statusCode).toBe(200);
});

it('drops the rest of a body that was answered, and ends its connection when that does not come', async () => {
  const server = createLimitedServer((_, response) => void response.end('answered'), {
    patience: { head: 5_000, request: 0, look: 50, linger: 50 },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{');
  let answer = '';
  socket.on('error', () => {}).on('data', (bytes) => (answer += bytes.toString()));
  await once(socket, 'close');
  expect(answer).toContain('answered');
  server.close();
});
