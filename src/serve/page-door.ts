/** Where the page of a server connects: by one WebSocket that carries the ports of its model workers. @module */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ModelsPageControl } from '../service/gateway-control.js';
import { ControlChannel } from '../relay/control/control-channel.js';
import { PortTunnel } from '../relay/tunnel/port-tunnel.js';
import { listen } from './http/listen.js';
import { acceptWebSocket, type WebSocketConnection } from './web-socket.js';

/** What a page is asked by. */
export type PageChannel = ControlChannel<ModelsPageControl>;

/** Bytes: the vectors of a large request are the longest that a page sends. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/** A page that is expected. */
export interface ExpectedPage {
  /** Address of the WebSocket, known to nobody else. It is good for one connection. */
  readonly url: string;
  /** Resolves when the page has connected. */
  readonly connected: Promise<PageChannel>;
  /** Ends the connection, or does not expect it any more. */
  end(): void;
}

/**
 * A port of the loopback interface for nothing else. On the server's own, whoever asks for another protocol than a WebSocket,
 * as Java's client does with each request, would have to be told apart.
 */
export class PageDoor {
  readonly #origin: string;
  readonly #server = createServer((_, response) => void response.writeHead(404).end());
  readonly #expected = new Map<string, (request: IncomingMessage, socket: Duplex) => void>();
  #port: Promise<number> | undefined;

  /** @param origin of the pages that may connect */
  constructor(origin: string) {
    this.#origin = origin;
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      const connect = this.#expected.get(request.url ?? '');
      if (connect) connect(request, socket);
      else socket.on('error', () => socket.destroy()).end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    });
  }

  async expect(): Promise<ExpectedPage> {
    this.#port ??= listen(this.#server, 0);
    const port = await this.#port;
    const path = `/${randomUUID()}`;
    let connection: WebSocketConnection | undefined;
    const connected = new Promise<PageChannel>((resolve) => {
      this.#expected.set(path, (request, socket) => {
        connection = connectPage({ request, socket, origin: this.#origin }, (channel) => {
          this.#expected.delete(path);
          resolve(channel);
        });
      });
    });
    const end = (): void => {
      this.#expected.delete(path);
      connection?.close();
    };
    return { url: `ws://127.0.0.1:${port}${path}`, connected, end };
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function connectPage(
  { request, socket, origin }: { request: IncomingMessage; socket: Duplex; origin: string },
  onConnected: (channel: PageChannel) => void,
): WebSocketConnection | undefined {
  const { port1, port2 } = new MessageChannel();
  let tunnel: PortTunnel | undefined;
  const connection = acceptWebSocket(
    request,
    socket,
    { origin, maxMessageBytes: MAX_MESSAGE_BYTES },
    { message: (bytes) => tunnel?.receive(bytes), close: () => tunnel?.close() },
  );
  if (!connection) return undefined;
  tunnel = new PortTunnel({ root: port1, send: (frame) => connection.send(frame), isFirst: true });
  onConnected(new ControlChannel<ModelsPageControl>(port2, undefined));
  return connection;
}
