/** An HTTP server that slow clients and many clients cannot hold. @module */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { DepartedClients } from './http/departed-clients.js';
import { oneAtATime } from './http/one-at-a-time.js';

/** How long clients may take, in milliseconds. */
interface ServerPatience {
  /** For a request's head. */
  head: number;
  /** For a whole request; 0: as long as it wants. */
  request: number;
  /** Between two looks at all connections. */
  look: number;
  /** For the rest of a body after its answer. @default 60 seconds */
  linger?: number;
}

/** See {@link ServerPatience.linger}. */
const LINGER_MS = 60_000;

/** Clients are on this machine: even a recording of 40 MB arrives quickly. */
const PATIENCE: ServerPatience = { head: 10_000, request: 60_000, look: 2_000 };

/** Where to stop. */
interface ServerBounds {
  patience?: ServerPatience;
  /** Connections at a time. @default 256 */
  connections?: number;
  /** Answers what comes through others. */
  onBusy?: RequestListener;
}

/** Each may hold a body of its own in memory. */
const MAX_CONNECTIONS = 256;

/**
 * Milliseconds in which a connection may be used again. Longer than clients keep theirs (httpx 5 s, aiohttp 15, Java 30, .NET 60):
 * who hangs up first cuts off what the other is just sending.
 */
const KEEP_ALIVE_MS = 75_000;

/** So many times the connections are taken, to be told that there is no room; beyond that they are closed. */
const REFUSED_FACTOR = 2;

const refuseBusy: RequestListener = (_, response) => void response.writeHead(503, { 'retry-after': '1' }).end();

/**
 * A client that takes longer gets 408 and loses its connection, one that names two hosts 400. Answers may take as long as
 * they want.
 */
export function createLimitedServer(listener: RequestListener, bounds: ServerBounds = {}): Server {
  const { patience = PATIENCE, connections = MAX_CONNECTIONS, onBusy = refuseBusy } = bounds;
  const {
    head: headersTimeout,
    request: requestTimeout,
    look: connectionsCheckingInterval,
    linger = LINGER_MS,
  } = patience;
  const refused = new WeakSet<Socket>();
  const options = { headersTimeout, requestTimeout, connectionsCheckingInterval, keepAliveTimeout: KEEP_ALIVE_MS };
  const answer: RequestListener = (request, response) => {
    // RFC 9112, 3.2: such a request is refused, because two readers of it may each believe another host.
    const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    if (hosts.length !== 1 && request.httpVersion !== '1.0') return void response.writeHead(400).end(TWO_HOSTS);
    clients.begin(response, request.socket);
    response.once('finish', () => endUpload(request, linger));
    if (!refused.has(request.socket)) return listener(request, response);
    response.setHeader('connection', 'close');
    request.resume();
    onBusy(request, response);
  };
  const { listener: answerInTurn, isHeld } = oneAtATime(answer);
  const clients = new DepartedClients(isHeld);
  const server = createServer(options, answerInTurn);
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    if (open > connections) {
      refused.add(socket);
      // So that there is room when it comes again.
      server.closeIdleConnections();
    }
    socket.once('close', () => (open -= 1));
    clients.watch(socket);
  });
  server.maxConnections = connections * REFUSED_FACTOR;
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/** What still comes of a body that was answered is dropped for a while, because many clients read after they have sent. */
function endUpload(request: IncomingMessage, linger: number): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), linger).unref();
  request.once('close', () => clearTimeout(timer));
}

const TWO_HOSTS = 'A request must have one `host` header.';
