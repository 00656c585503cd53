/** An HTTP server that no slow client can hold. @module */
import { createServer, type RequestListener, type Server } from 'node:http';

/** How long clients may take, in milliseconds. */
export interface ServerPatience {
  /** For a request's head. */
  head: number;
  /** For a whole request. */
  request: number;
  /** Between two looks at all connections. */
  look: number;
}

/** Everybody is on this machine; 40 MB of a recording come in a moment. */
const PATIENCE: ServerPatience = { head: 10_000, request: 60_000, look: 2_000 };

/** Each may hold a body of its own in memory. */
const MAX_CONNECTIONS = 256;

/** A client that takes longer gets 408 and loses its connection. Answers may take as long as they want. */
export function createLimitedServer(listener: RequestListener, patience: ServerPatience = PATIENCE): Server {
  const { head: headersTimeout, request: requestTimeout, look: connectionsCheckingInterval } = patience;
  const server = createServer({ headersTimeout, requestTimeout, connectionsCheckingInterval }, listener);
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}
