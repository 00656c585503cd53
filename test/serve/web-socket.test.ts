import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { acceptWebSocket, type WebSocketConnection } from '../../src/serve/web-socket.js';

const ORIGIN = 'http://localhost:8080';
const MAX_BYTES = 100_000;
const HEADERS = {
  Host: 'localhost',
  Origin: ORIGIN,
  Upgrade: 'websocket',
  Connection: 'Upgrade',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
type Headers = Partial<Record<keyof typeof HEADERS, string>>;

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

/** What the client has received, whole. */
class Received {
  bytes = Buffer.alloc(0);
  isClosed = false;

  constructor(socket: Socket) {
    socket.on('data', (bytes: Buffer) => (this.bytes = Buffer.concat([this.bytes, bytes])));
    socket.on('close', () => (this.isClosed = true));
  }

  /** Those after the head of the answer, in hexadecimal. */
  get frames(): string {
    return this.bytes.subarray(this.bytes.indexOf('\r\n\r\n') + 4).toString('hex');
  }
}

async function open(headers: Headers = {}, onMessage: (bytes: Uint8Array) => void = () => {}) {
  const messages: Buffer[] = [];
  const state = { connection: undefined as WebSocketConnection | undefined, closes: 0 };
  server = createServer();
  server.on('upgrade', (request, socket: Duplex) => {
    state.connection = acceptWebSocket(
      request,
      socket,
      { origin: ORIGIN, maxMessageBytes: MAX_BYTES },
      {
        message(bytes) {
          messages.push(Buffer.from(bytes));
          onMessage(bytes);
        },
        close: () => (state.closes += 1),
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  const received = new Received(socket);
  const lines = Object.entries({ ...HEADERS, ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`GET /secret HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  await expect.poll(() => received.bytes.includes('\r\n\r\n')).toBe(true);
  const head = received.bytes.toString('latin1');
  return { socket, received, messages, state, head };
}

/** A frame as a client sends it. */
function frame(opcode: number, payload: Uint8Array | string, { isLast = true, mask = [1, 2, 3, 4] } = {}): Buffer {
  const bytes = Buffer.from(payload);
  const long = bytes.length >= 126;
  const head = Buffer.alloc(long ? 10 : 2);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (long ? 127 : bytes.length);
  if (long) head.writeBigUInt64BE(BigInt(bytes.length), 2);
  return Buffer.concat([head, Buffer.from(mask), bytes.map((byte, index) => byte ^ mask[index % 4]!)]);
}

const BINARY = 2;

describe('a WebSocket of the server', () => {
  it('answers the key of RFC 6455 as that says', async () => {
    const { head } = await open();
    expect(head).toMatch(/^HTTP\/1\.1 101 [^]*\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/);
  });

  it.each(['https://evil.example', 'http://localhost:1', 'http://localhost:8080.evil.example', 'null', ''])(
    'refuses a page of another origin (%s)',
    async (origin) => {
      const { head, state, received } = await open({ Origin: origin });
      expect(head).toContain('HTTP/1.1 403 ');
      await expect.poll(() => received.isClosed).toBe(true);
      expect(state.connection).toBeUndefined();
    },
  );

  it.each<[string, Headers, string]>([
    ['another version', { 'Sec-WebSocket-Version': '8' }, '426'],
    ['a key that is none', { 'Sec-WebSocket-Key': 'short' }, '400'],
    ['another protocol', { Upgrade: 'h2c' }, '400'],
  ])('refuses %s', async (_, headers, status) => {
    const { head, state, received } = await open(headers);
    expect(head).toContain(`HTTP/1.1 ${status} `);
    await expect.poll(() => received.isClosed).toBe(true);
    expect(state.connection).toBeUndefined();
  });

  it('takes messages of every length, masked, also byte by byte and several at once', async () => {
    const { socket, messages } = await open();
    const payloads = [0, 1, 125, 126, 200, 65_535, 65_536, MAX_BYTES].map((length) =>
      Buffer.from(Array.from({ length }, (_, index) => index % 251)),
    );
    for (const byte of frame(BINARY, payloads[2]!)) socket.write(Buffer.from([byte]));
    socket.write(Buffer.concat(payloads.map((payload) => frame(BINARY, payload))));
    const expected = [payloads[2]!, ...payloads];
    await expect.poll(() => messages.length).toBe(expected.length);
    for (const [index, message] of messages.entries()) expect(message.equals(expected[index]!)).toBe(true);
  });

  it('joins fragments, and answers a ping between them', async () => {
    const { socket, messages, received } = await open();
    socket.write(frame(BINARY, 'one ', { isLast: false }));
    socket.write(frame(9, 'still there?'));
    socket.write(frame(0, 'two ', { isLast: false }));
    socket.write(frame(10, 'unasked'));
    socket.write(frame(0, 'three'));
    await expect.poll(() => messages.map(String)).toEqual(['one two three']);
    expect(received.frames).toBe(`8a0c${Buffer.from('still there?').toString('hex')}`);
  });

  it.each([
    ['a frame that is not masked', Buffer.from([0x82, 1, 7]), 1002],
    ['bits that are reserved', Buffer.from([0xc2, 0x80, 0, 0, 0, 0]), 1002],
    ['an unknown kind', frame(3, 'a'), 1002],
    ['a ping in pieces', frame(9, 'a', { isLast: false }), 1002],
    ['a ping of 126 bytes', frame(9, 'a'.repeat(126)), 1002],
    ['a rest without a beginning', frame(0, 'a'), 1002],
    ['a beginning within a message', Buffer.concat([frame(2, 'a', { isLast: false }), frame(2, 'b')]), 1002],
    ['text', frame(1, 'a'), 1003],
    ['a message that is too long', frame(BINARY, Buffer.alloc(MAX_BYTES + 1)), 1009],
    [
      'fragments that are too long together',
      Buffer.concat([frame(2, Buffer.alloc(MAX_BYTES), { isLast: false }), frame(0, 'a')]),
      1009,
    ],
    ['a length beyond all memory', Buffer.from([0x82, 0xff, 255, 255, 255, 255, 255, 255, 255, 255]), 1009],
    ['an end of one byte', frame(8, 'a'), 1002],
  ])('is closed by %s', async (_, bytes, code) => {
    const { socket, received, messages, state } = await open();
    socket.write(bytes);
    await expect.poll(() => received.isClosed).toBe(true);
    expect([received.frames, messages.length, state.closes]).toEqual([
      `8802${code.toString(16).padStart(4, '0')}`,
      0,
      1,
    ]);
  });

  it('is closed by a listener that cannot read a message', async () => {
    const { socket, received } = await open({}, () => {
      throw new Error('no');
    });
    socket.write(frame(BINARY, 'a'));
    await expect.poll(() => received.isClosed).toBe(true);
    expect(received.frames).toBe('880203ef');
  });

  it('answers an end with the same code', async () => {
    const { socket, received, state } = await open();
    socket.write(frame(8, Buffer.from([0x03, 0xe9])));
    await expect.poll(() => received.isClosed).toBe(true);
    expect([received.frames, state.closes]).toEqual(['880203e9', 1]);
  });

  it('ends itself, and then sends nothing more', async () => {
    const { socket, received, state } = await open();
    state.connection!.close();
    state.connection!.send(Buffer.from('late'));
    await expect.poll(() => received.frames).toBe('880203e8');
    socket.write(frame(8, Buffer.from([0x03, 0xe8])));
    await expect.poll(() => [received.isClosed, state.closes]).toEqual([true, 1]);
    expect(received.frames).toBe('880203e8');
  });

  it('tells when its page is gone without a word', async () => {
    const { socket, state } = await open();
    socket.destroy();
    await expect.poll(() => state.closes).toBe(1);
  });

  it.each([0, 125, 126, 65_535, 65_536])('sends %i bytes in a frame that is not masked', async (length) => {
    const { received, state } = await open();
    state.connection!.send(Buffer.alloc(length, 7));
    const head = { 0: '8200', 125: '827d', 126: '827e007e', 65_535: '827effff', 65_536: '827f0000000000010000' }[
      length
    ]!;
    await expect.poll(() => received.frames === head + '07'.repeat(length)).toBe(true);
  });
});
