/** One HTTP exchange of Node as a Request and a Response of the Fetch standard. @module */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_BODY_BYTES, MAX_UPLOAD_BYTES } from '../../core/request/max-body-bytes.js';
import { StreamedResponse } from '../../relay/stream/streamed-response.js';
import { noteStream } from './departed-clients.js';

/** Methods whose requests have no body here. */
const BODILESS = new Set(['GET', 'HEAD']);

/** Methods that a Request may not have. The service knows none of them, and refuses this one in the same words. */
const FORBIDDEN = new Set(['TRACE', 'TRACK', 'CONNECT']);
const UNKNOWN_METHOD = 'UNKNOWN';

/** Bytes that a body may have: only a form holds a file. */
function maxBytesOf({ headers }: IncomingMessage): number {
  const isForm = /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');
  return isForm ? MAX_UPLOAD_BYTES : MAX_BODY_BYTES;
}

/** What is known of a body before it comes. */
export function announcedBody(request: IncomingMessage): 'none' | 'some' | 'too-large' {
  if (BODILESS.has(request.method ?? 'GET')) return 'none';
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (Number(length ?? 0) > maxBytesOf(request)) return 'too-large';
  return Number(length ?? 0) > 0 || encoding !== undefined ? 'some' : 'none';
}

/** Sound that may be spoken just now, so it is passed on as it comes. */
export function isLive({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.includes('pcm') === true;
}

/** The pieces of a body. Its connection stays when they are not read to the end, so that the answer can be sent. */
const piecesOf = (request: IncomingMessage): AsyncIterable<Buffer> => request.iterator({ destroyOnReturn: false });

/**
 * The whole body, or as much of it as shows that it is too large. Rejects when it breaks off.
 * @param onPiece told of the length of each piece before it is kept; what it throws ends reading
 */
export async function readBody(
  request: IncomingMessage,
  onPiece: (bytes: number) => void = () => {},
): Promise<Buffer<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  const maxBytes = maxBytesOf(request);
  let length = 0;
  for await (const piece of piecesOf(request)) {
    onPiece(piece.length);
    pieces.push(piece);
    length += piece.length;
    if (length > maxBytes) break;
  }
  return Buffer.concat(pieces);
}

/** The body as a stream that breaks where the upload does. What comes after it was cancelled is dropped. */
export function streamBody(request: IncomingMessage): ReadableStream<Uint8Array> {
  const pieces = piecesOf(request)[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return?.();
        request.resume();
      },
    },
    { highWaterMark: 0 },
  );
}

/** What a request is made from besides its head. */
interface RequestParts {
  url: string;
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | undefined;
  signal: AbortSignal;
}

export function toRequest({ method = 'GET', headers }: IncomingMessage, { url, body, signal }: RequestParts): Request {
  const given = new Headers();
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) given.set(name, String(value));
  const made = new Request(url, {
    method: FORBIDDEN.has(method) ? UNKNOWN_METHOD : method,
    headers: given,
    ...(body && { body, duplex: 'half' }),
  });
  // Given to the constructor, Node would register each request with its signal for finalization: then it outlives all short
  // collections of garbage, and under load the process grows by a half.
  return Object.defineProperty(made, 'signal', { value: signal });
}

/** Told of an answer on its way out, before its client can have what it is told of. */
export interface AnswerObserver {
  /** The headers that are sent. */
  head(status: number, headers: [string, string][]): void;
  /** A piece of the body. */
  piece(bytes: Uint8Array): void;
  /** All of it was passed on. */
  end(): void;
}

/** How an answer is sent. */
export interface SendOptions {
  /** Headers of the server besides those of the service. */
  headers?: Record<string, string>;
  observer?: AnswerObserver | undefined;
  /** Milliseconds in which a reader must take what was written, at most 64 KiB at a time, or it is let go. @default no limit */
  readerPatienceMs?: number;
}

/**
 * Sends an answer: whole, or in the pieces in which it is made, no faster than it is read.
 * @throws the error of a body that breaks; the connection is torn down then
 */
export async function sendResponse(answer: Response, to: ServerResponse, options: SendOptions = {}): Promise<void> {
  const { observer, headers = {}, readerPatienceMs } = options;
  const sent: [string, string][] = [...answer.headers, ...Object.entries(headers)];
  to.writeHead(answer.status, sent.flat());
  observer?.head(answer.status, sent);
  const reader = answer.body?.getReader();
  // A client that left lets the model go.
  const cancel = (): void => void reader?.cancel().catch(() => {});
  to.once('close', cancel);
  try {
    if (to.destroyed) cancel();
    if (!reader) return finish(to, options);
    if (!(answer instanceof StreamedResponse)) return await sendWhole(reader, to, options);
    to.flushHeaders();
    noteStream(to, answer.headers.get('content-type'));
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return finish(to, options);
      observer?.piece(value);
      if (!to.write(value)) await drained(to, readerPatienceMs);
    }
  } catch (thrown) {
    to.destroy();
    throw thrown;
  } finally {
    to.off('close', cancel);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Most bytes of one write: each shows anew that the reader takes something. */
const MAX_WRITE_BYTES = 64 * 1024;

async function sendWhole(reader: Reader, to: ServerResponse, options: SendOptions): Promise<void> {
  const pieces: Uint8Array[] = [];
  for (let step = await reader.read(); !step.done; step = await reader.read()) pieces.push(step.value);
  let rest = Buffer.concat(pieces);
  options.observer?.piece(rest);
  while (rest.length > MAX_WRITE_BYTES && !to.destroyed) {
    if (!to.write(rest.subarray(0, MAX_WRITE_BYTES))) await drained(to, options.readerPatienceMs);
    rest = rest.subarray(MAX_WRITE_BYTES);
  }
  finish(to, options, rest);
}

function finish(to: ServerResponse, { observer, readerPatienceMs }: SendOptions, last?: Buffer): void {
  if (to.destroyed) return;
  observer?.end();
  to.end(last);
  if (!to.writableFinished) void untilEvent(to, 'finish', readerPatienceMs);
}

/** Resolves when the reader has read what it was sent, or has left. */
async function drained(to: ServerResponse, patienceMs?: number): Promise<void> {
  if (!to.destroyed) await untilEvent(to, 'drain', patienceMs);
}

/** Resolves with the event, or when the connection is closed, which it is after this time. */
function untilEvent(to: ServerResponse, event: 'drain' | 'finish', patienceMs = 0): Promise<void> {
  return new Promise<void>((resolve) => {
    const timer = patienceMs > 0 ? setTimeout(() => to.destroy(), patienceMs) : undefined;
    const go = (): void => {
      clearTimeout(timer);
      to.off(event, go).off('close', go);
      resolve();
    };
    to.on(event, go).on('close', go);
  });
}
