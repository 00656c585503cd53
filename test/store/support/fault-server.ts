/** A server of model files that breaks, throttles, ignores ranges, lies about bytes and changes files, as it is told. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the server behaves; everything may be changed while it runs. */
export interface Behaviour {
  /** Bytes that it sends of a file in one piece. */
  chunkBytes: number;
  /** Milliseconds between two pieces. */
  chunkPause: number;
  /** Takes no `Range`. */
  ignoresRanges: boolean;
  /** Sends neither length nor range headers that pages of other origins may read. */
  hidesHeaders: boolean;
  /** Cuts each connection after so many bytes. */
  cutsAfter: number;
  /** So many of the next requests are cut; Infinity: all. */
  cuts: number;
  /** Answers so many of the next requests with this status. */
  fails: { status: number; times: number; retryAfter?: number };
  /** Flips the byte at this place of a file, so many times. */
  lies: { file: string; at: number; times: number } | undefined;
  /** Told before each request is answered. */
  onRequest: (request: IncomingMessage) => void;
}

/** No fault at all. */
export function goodBehaviour(): Behaviour {
  return {
    chunkBytes: 64 * 1024,
    chunkPause: 0,
    ignoresRanges: false,
    hidesHeaders: false,
    cutsAfter: Infinity,
    cuts: 0,
    fails: { status: 503, times: 0 },
    lies: undefined,
    onRequest: () => {},
  };
}

export interface FaultServer {
  /** Ends with `/`. */
  url: string;
  /** By path without the slash at its beginning. */
  files: Map<string, Uint8Array>;
  behaviour: Behaviour;
  /** Bytes of bodies that were sent. */
  sent: number;
  /** `<method> <path> <range>` of each request. */
  requests: string[];
  /** The most files that were being sent at a time. */
  mostAtOnce: number;
  close(): Promise<void>;
}

/** Starts the server on a free port. CORS is open, as on the hub. */
export async function startFaultServer(files: Record<string, Uint8Array> = {}): Promise<FaultServer> {
  const faulty: FaultServer = {
    url: '',
    files: new Map(Object.entries(files)),
    behaviour: goodBehaviour(),
    sent: 0,
    requests: [],
    mostAtOnce: 0,
    close: () => close(server),
  };
  let atOnce = 0;
  const server = createServer((request, response) => {
    response.on('close', () => atOnce--);
    faulty.mostAtOnce = Math.max(faulty.mostAtOnce, ++atOnce);
    answer(faulty, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  faulty.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return faulty;
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function answer(server: FaultServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { behaviour } = server;
  const path = decodeURIComponent(new URL(request.url!, server.url).pathname).slice(1);
  behaviour.onRequest(request);
  server.requests.push(`${request.method} ${path} ${request.headers.range ?? ''}`.trim());
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-headers', '*');
  response.setHeader('cross-origin-resource-policy', 'cross-origin');
  if (request.method === 'OPTIONS') return void response.writeHead(204).end();
  if (behaviour.fails.times > 0) {
    behaviour.fails.times--;
    const { status, retryAfter } = behaviour.fails;
    if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
    return void response.writeHead(status).end('no');
  }
  const file = server.files.get(path);
  if (!file) return void response.writeHead(404).end('Not Found');
  await send(server, { path, file }, request, response);
}

async function send(
  server: FaultServer,
  { path, file }: { path: string; file: Uint8Array },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { behaviour } = server;
  const bytes = lied(server, path, file, request.headers.range);
  response.setHeader('etag', etagOf(file));
  response.setHeader('content-type', path.endsWith('.json') ? 'application/json' : 'application/octet-stream');
  if (!behaviour.hidesHeaders) {
    response.setHeader(
      'access-control-expose-headers',
      'etag, content-range, content-length, retry-after, x-linked-etag',
    );
  }
  const range = behaviour.ignoresRanges ? null : /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const start = range ? Number(range[1]) : 0;
  const end = range?.[2] ? Math.min(Number(range[2]) + 1, file.length) : file.length;
  if (range && start >= file.length) {
    return void response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end();
  }
  if (!behaviour.ignoresRanges) response.setHeader('accept-ranges', 'bytes');
  response.setHeader('content-length', end - start);
  if (range) response.setHeader('content-range', `bytes ${start}-${end - 1}/${file.length}`);
  response.writeHead(range ? 206 : 200);
  if (request.method === 'HEAD') return void response.end();
  let left = Infinity;
  if (behaviour.cuts > 0 && behaviour.cutsAfter < end - start) {
    behaviour.cuts--;
    left = behaviour.cutsAfter;
  }
  for (let position = start; position < end;) {
    const piece = bytes.subarray(position, Math.min(end, position + Math.min(behaviour.chunkBytes, left)));
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
    server.sent += piece.length;
    position += piece.length;
    left -= piece.length;
    if (left <= 0) return void setTimeout(() => response.destroy(), 20);
    if (behaviour.chunkPause > 0) await new Promise((resolve) => setTimeout(resolve, behaviour.chunkPause));
  }
  response.end();
}

function lied({ behaviour }: FaultServer, path: string, file: Uint8Array, range: string | undefined): Uint8Array {
  const { lies } = behaviour;
  if (!lies || lies.file !== path || lies.times <= 0) return file;
  const [, start = '0', end = String(file.length)] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  if (lies.at < Number(start) || lies.at > Number(end || file.length)) return file;
  lies.times--;
  const bytes = Uint8Array.from(file);
  bytes[lies.at]! ^= 1;
  return bytes;
}

const etags = new WeakMap<Uint8Array, string>();

/** Of the content; hashed once, for it is asked for with every range. */
export function etagOf(file: Uint8Array): string {
  const known = etags.get(file) ?? `"${createHash('md5').update(file).digest('hex')}"`;
  etags.set(file, known);
  return known;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.on('drain', end).on('close', end);
  });
}

/** Bytes that look random and are the same every time. */
export function someBytes(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4));
  let state = seed * 2654435761;
  for (let index = 0; index < words.length; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[index] = state;
  }
  return new Uint8Array(words.buffer, 0, length);
}

/** 64 hexadecimal digits. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
