/** The server's end of a WebSocket (RFC 6455) that carries binary messages: Node has a client only. @module */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Why a connection is closed: RFC 6455, 7.4.1. */
const CLOSE_CODES = { normal: 1000, protocol: 1002, unsupported: 1003, invalid: 1007, tooBig: 1009 } as const;

/** Most bytes of a control frame. */
const MAX_CONTROL_BYTES = 125;

/** Milliseconds in which the other end must answer that it closes. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Who may connect, and how much a message may be. */
export interface WebSocketRules {
  /** The only origin whose pages may. */
  origin: string;
  /** Bytes of one message, all its fragments together. */
  maxMessageBytes: number;
}

/** Told of what comes. */
export interface WebSocketListener {
  /** Bytes that are the listener's own. What it throws closes the connection. */
  message(bytes: Uint8Array): void;
  /** Once, whoever has closed it. */
  close(): void;
}

/** A connection that stands. */
export interface WebSocketConnection {
  send(bytes: Uint8Array): void;
  close(): void;
}

/**
 * Answers the request for a WebSocket (event `upgrade` of a server).
 * @returns undefined: it was refused, and its connection is closed
 */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  rules: WebSocketRules,
  listener: WebSocketListener,
): WebSocketConnection | undefined {
  // Writing to one that has left is an error of the connection, which also closes.
  socket.on('error', () => socket.destroy());
  const refusal = explainRefusal(request, rules);
  if (refusal !== undefined) {
    socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    return undefined;
  }
  const accepted = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
  );
  return new Connection(socket, rules.maxMessageBytes, listener);
}

/** The status line of the refusal; undefined: none. */
function explainRefusal({ method, headers }: IncomingMessage, { origin }: WebSocketRules): string | undefined {
  if (headers.origin !== origin) return '403 Forbidden';
  const key = Buffer.from(headers['sec-websocket-key'] ?? '', 'base64');
  if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket' || key.length !== 16) return '400 Bad Request';
  if (headers['sec-websocket-version'] !== '13') return '426 Upgrade Required\r\nSec-WebSocket-Version: 13';
  return undefined;
}

/** What the other end may not send. */
class WebSocketError extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`A WebSocket was closed with ${code}.`);
    this.code = code;
  }
}

class Connection implements WebSocketConnection {
  readonly #socket: Duplex;
  readonly #maxBytes: number;
  readonly #listener: WebSocketListener;
  readonly #steps: Generator<number, void, Buffer>;
  #needed: number;
  #received: Buffer[] = [];
  #length = 0;
  #isClosing = false;
  /** Nothing more of the other end is read. */
  #isOver = false;

  constructor(socket: Duplex, maxBytes: number, listener: WebSocketListener) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    this.#listener = listener;
    this.#steps = this.#readFrames();
    this.#needed = this.#steps.next().value ?? 0;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.once('end', () => socket.destroy());
    socket.once('close', () => listener.close());
  }

  send(bytes: Uint8Array): void {
    if (!this.#isClosing) this.#write(OPCODES.binary, bytes);
  }

  close(): void {
    this.#end(CLOSE_CODES.normal);
  }

  #take(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#received.push(bytes);
    this.#length += bytes.length;
    try {
      while (this.#length >= this.#needed && !this.#isOver) {
        // Many small frames come in one piece, which is not copied for each.
        const all = this.#received.length === 1 ? this.#received[0]! : Buffer.concat(this.#received);
        const rest = all.subarray(this.#needed);
        this.#received = [rest];
        this.#length = rest.length;
        const { done = false, value } = this.#steps.next(all.subarray(0, this.#needed));
        this.#isOver = done;
        this.#needed = value ?? 0;
      }
    } catch (thrown) {
      this.#isOver = true;
      this.#end(thrown instanceof WebSocketError ? thrown.code : CLOSE_CODES.invalid);
    }
    if (this.#isOver) this.#socket.end();
  }

  /** Reads frames until the other end closes. Yields how many bytes it needs next, and gets them. @throws WebSocketError */
  *#readFrames(): Generator<number, void, Buffer> {
    let fragments: Buffer[] | undefined;
    for (;;) {
      const head = yield 2;
      const [first, second] = [head.readUInt8(0), head.readUInt8(1)];
      const [isLast, opcode, isMasked] = [first >= 0x80, first & 0x0f, second >= 0x80];
      const isControl = opcode >= OPCODES.close;
      let length = second & 0x7f;
      // What is reserved must be 0, and a client must mask.
      if ((first & 0x70) !== 0 || !isMasked) throw new WebSocketError(CLOSE_CODES.protocol);
      if (isControl && (!isLast || length > MAX_CONTROL_BYTES)) throw new WebSocketError(CLOSE_CODES.protocol);
      if (length === 126) length = (yield 2).readUInt16BE();
      else if (length === 127) length = Number((yield 8).readBigUInt64BE());
      const before = fragments?.reduce((sum, each) => sum + each.length, 0) ?? 0;
      if (before + length > this.#maxBytes) throw new WebSocketError(CLOSE_CODES.tooBig);
      const mask = yield 4;
      const payload = unmasked(length === 0 ? Buffer.alloc(0) : yield length, mask);
      if (isControl) {
        if (opcode === OPCODES.close) return this.#answerClose(payload);
        if (opcode === OPCODES.ping) this.#write(OPCODES.pong, payload);
        else if (opcode !== OPCODES.pong) throw new WebSocketError(CLOSE_CODES.protocol);
        continue;
      }
      if (opcode === OPCODES.text) throw new WebSocketError(CLOSE_CODES.unsupported);
      if ((opcode === OPCODES.continuation) !== (fragments !== undefined) || opcode > OPCODES.binary)
        throw new WebSocketError(CLOSE_CODES.protocol);
      fragments = [...(fragments ?? []), payload];
      if (!isLast) continue;
      const message = fragments.length === 1 ? payload : Buffer.concat(fragments);
      fragments = undefined;
      if (!this.#isClosing) this.#listener.message(message);
    }
  }

  #answerClose(payload: Buffer): void {
    if (payload.length === 1) throw new WebSocketError(CLOSE_CODES.protocol);
    this.#end(payload.length === 0 ? CLOSE_CODES.normal : payload.readUInt16BE());
  }

  #end(code: number): void {
    if (this.#isClosing) return;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.#write(OPCODES.close, payload);
    this.#isClosing = true;
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_TIMEOUT_MS).unref();
    this.#socket.once('close', () => clearTimeout(timer));
  }

  #write(opcode: number, payload: Uint8Array): void {
    if (this.#socket.destroyed) return;
    const { length } = payload;
    const head = Buffer.alloc(length < 126 ? 2 : length < 0x1_0000 ? 4 : 10);
    head[0] = 0x80 | opcode;
    head[1] = length < 126 ? length : length < 0x1_0000 ? 126 : 127;
    if (head.length === 4) head.writeUInt16BE(length, 2);
    else if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
    this.#socket.cork();
    this.#socket.write(head);
    this.#socket.write(payload);
    this.#socket.uncork();
  }
}

function unmasked(masked: Buffer, mask: Buffer): Buffer {
  const payload = Buffer.allocUnsafeSlow(masked.length);
  for (let index = 0; index < masked.length; index += 1) payload[index] = masked[index]! ^ mask[index & 3]!;
  return payload;
}
