/** One HTTP exchange of Node as a Request and a Response of the Fetch standard. @module */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { MAX_BODY_BYTES } from '../../core/request/max-body-bytes.js';
import { toResponseHead } from '../../relay/stream/request-payload.js';

/** Methods whose requests have no body here. */
const BODILESS = new Set(['GET', 'HEAD']);

/** Methods that a Request may not have. The service knows none of them, and refuses this one in the same words. */
const FORBIDDEN = new Set(['TRACE', 'TRACK', 'CONNECT']);
const UNKNOWN_METHOD = 'UNKNOWN';

/** What is known of a body before it comes. */
export function announcedBody({ method = 'GET', headers }: IncomingMessage): 'none' | 'some' | 'too-large' {
  if (BODILESS.has(method)) return 'none';
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (Number(length ?? 0) > MAX_BODY_BYTES) return 'too-large';
  return Number(length ?? 0) > 0 || encoding !== undefined ? 'some' : 'none';
}

/** Sound that may be spoken just now, so it is passed on as it comes. */
export function isLive({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.includes('pcm') === true;
}

/** The whole body, or as much of it as shows that it is too large. Rejects when it breaks off. */
export async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_BODY_BYTES) break;
  }
  return Buffer.concat(pieces);
}

/** The body as a stream that breaks where the upload does. */
export function streamBody(request: IncomingMessage): ReadableStream<Uint8Array> {
  return Readable.toWeb(request) as ReadableStream<Uint8Array>;
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
  return new Request(url, {
    method: FORBIDDEN.has(method) ? UNKNOWN_METHOD : method,
    headers: given,
    signal,
    ...(body && { body, duplex: 'half' }),
  });
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
  /** A reader that takes nothing for so long is let go. @default never */
  readerPatienceMs?: number;
}

/**
 * Sends an answer: whole, or in the pieces in which it is made, no faster than it is read.
 * @throws the error of a body that breaks; the connection is torn down then
 */
export async function sendResponse(answer: Response, to: ServerResponse, options: SendOptions = {}): Promise<void> {
  const { observer, headers = {}, readerPatienceMs = 0 } = options;
  const sent: [string, string][] = [...answer.headers, ...Object.entries(headers)];
  to.writeHead(answer.status, sent.flat());
  observer?.head(answer.status, sent);
  const reader = answer.body?.getReader();
  // A client that left lets the model go.
  const cancel = (): void => void reader?.cancel().catch(() => {});
  to.once('close', cancel);
  try {
    if (to.destroyed) cancel();
    if (!reader) return finish(to, observer);
    if (!toResponseHead(answer).streams) return await sendWhole(reader, to, observer);
    to.flushHeaders();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return finish(to, observer);
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

async function sendWhole(reader: Reader, to: ServerResponse, observer: AnswerObserver | undefined): Promise<void> {
  const pieces: Uint8Array[] = [];
  for (let step = await reader.read(); !step.done; step = await reader.read()) pieces.push(step.value);
  const whole = Buffer.concat(pieces);
  observer?.piece(whole);
  finish(to, observer, whole);
}

function finish(to: ServerResponse, observer: AnswerObserver | undefined, last?: Buffer): void {
  if (to.destroyed) return;
  observer?.end();
  to.end(last);
}

/** Resolves when the reader has read what it was sent, or has left. @param patienceMs 0: for ever */
async function drained(to: ServerResponse, patienceMs: number): Promise<void> {
  if (to.destroyed) return;
  await new Promise<void>((resolve) => {
    const timer = patienceMs > 0 ? setTimeout(() => to.destroy(), patienceMs) : undefined;
    const go = (): void => {
      clearTimeout(timer);
      to.off('drain', go).off('close', go);
      resolve();
    };
    to.on('drain', go).on('close', go);
  });
}
