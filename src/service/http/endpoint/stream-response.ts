/**
 * Events of a dialect as a streamed answer. The first event is awaited before the headers are sent: what fails before is an
 * ordinary error answer. The dialect's keep-alive bridges a slow start.
 * @module
 */
import { UNAVAILABLE } from '../../../core/errors/error-bodies.js';
import { hearDefect } from '../../../core/errors/hear-defect.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ResumeState } from '../../answer/resume-state.js';
import { BrokenConnection } from './faults.js';
import { settledWithin } from '../../../core/platform/settled-within.js';
import { MAX_CHUNK_BYTES, type ResponseChunk } from '../../../relay/protocol.js';
import { StreamedResponse } from '../../../relay/stream/streamed-response.js';
import type { HttpContext } from './http-context.js';

/** One server-sent event. Without `event` it is data-only. */
export interface ServerSentEvent {
  event?: string;
  /** Sent as it is when a string (`[DONE]`), else as JSON. */
  data: string | object;
}

/** A comment line: parsers skip it, so it keeps a connection alive without meaning anything. */
export const COMMENT = ': keep-alive\n\n';

/** The event as text, blank line included. Line breaks inside the data become several `data:` lines. */
export function encodeServerSentEvent({ event, data }: ServerSentEvent): string {
  const text = typeof data === 'string' ? data : toJsonLine(data);
  const name = event === undefined ? '' : `event: ${event}\n`;
  // JSON never holds a raw line break, so the common case is one line.
  const lines = /[\r\n]/.test(text) ? text.split(/\r\n|\r|\n/).join('\ndata: ') : text;
  return `${name}data: ${lines}\n\n`;
}

/** How the events of a stream follow each other. */
export interface StreamFormat {
  contentType: string;
  /** Text between two events that parsers skip, and that has no number. */
  filler: string;
}

const SERVER_SENT_EVENTS: StreamFormat = { contentType: 'text/event-stream; charset=utf-8', filler: COMMENT };

/** A JSON object in each line. Readers do not accept empty lines, but blanks before an object. */
export const JSON_LINES: StreamFormat = { contentType: 'application/x-ndjson', filler: ' ' };

/** Line ends that JSON does not escape, though many readers split at every line end that Unicode has. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** The object as JSON that is one line, whatever a reader takes for the end of one. */
function toJsonLine(data: object): string {
  const escaped = (end: string): string => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(data).replaceAll(LINE_ENDS, escaped);
}

/** The object as a line of {@link JSON_LINES}. */
export function encodeJsonLine(data: object): string {
  return `${toJsonLine(data)}\n`;
}

/** What a dialect gives to have its events streamed. */
export interface StreamSource<Event> {
  /** Each batch is sent in one piece. Ending early (`return`) must free the engine. */
  events: AsyncIterable<readonly Event[]>;
  /** @default server-sent events */
  format?: StreamFormat;
  /** The event as it is sent, e.g. by `encodeServerSentEvent`. */
  encode: (event: Event) => string;
  /** Aborted when the reader goes away. */
  abort: AbortController;
  /** Text that this dialect's clients skip: an SSE comment, a `ping`, a `keepalive` event. */
  keepAlive: () => string;
  /** The text of the last events of a stream that failed after it began. */
  failure: (error: InferenceError) => string;
  /** What another host needs to go on with the stream; absent: none can. */
  resumeState?: ResumeState | undefined;
}

const ENGINE_GONE = new InferenceError('unavailable', UNAVAILABLE);

/**
 * A 200 answer that comes as it is made, with back-pressure: nothing is pulled from the source before it is read.
 * An error after the start becomes the dialect's failure events, then the stream ends. Canceling the body aborts. Events
 * that an earlier host has sent are made again, because later ones depend on them, and not sent.
 * @throws InferenceError (or whatever the source throws) when the source fails before its first event
 */
export async function streamResponse<Event>(context: HttpContext, source: StreamSource<Event>): Promise<Response> {
  const stream = new EventStream(context, source);
  await stream.begin(context.streamTiming.startDelayMs);
  return new StreamedResponse(new ReadableStream(stream, { highWaterMark: 0 }), {
    headers: { 'content-type': formatOf(source).contentType, 'cache-control': 'no-cache' },
    failureTail: source.failure(ENGINE_GONE),
  });
}

function formatOf({ format = SERVER_SENT_EVENTS }: Pick<StreamSource<never>, 'format'>): StreamFormat {
  return format;
}

/** A controller that aborts when the request does, and can be aborted by itself. */
export function abortWith(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else
    signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true, signal: controller.signal });
  return controller;
}

const encoder = new TextEncoder();

type BodyController = ReadableStreamDefaultController<ResponseChunk>;

/** The state of one open stream. */
class EventStream<Event> implements UnderlyingDefaultSource<ResponseChunk> {
  readonly #source: StreamSource<Event>;
  readonly #iterator: AsyncIterator<readonly Event[]>;
  readonly #keepAliveMs: number;
  /** The step that is under way, if any. */
  #pending: Promise<IteratorResult<readonly Event[]>> | undefined;
  /** By `performance.now()`, while the reader waits. */
  #silentSince: number | undefined;
  #keepAlive: ReturnType<typeof setTimeout> | undefined;
  /** Of the first events: so many were sent by another host. */
  #sent: number;

  constructor({ faults, streamTiming }: HttpContext, source: StreamSource<Event>) {
    this.#source = source;
    this.#iterator = faults.disturb(source.events, source.abort.signal)[Symbol.asyncIterator]();
    this.#keepAliveMs = streamTiming.keepAliveMs;
    this.#sent = source.resumeState?.delivered.events ?? 0;
  }

  /** Waits for the first step, at most so long. Rejects when the step does; only a broken connection breaks the body. */
  async begin(startDelayMs: number): Promise<void> {
    this.#pending = this.#iterator.next();
    await settledWithin(this.#pending, startDelayMs).catch((thrown: unknown) => {
      if (!(thrown instanceof BrokenConnection)) throw thrown;
    });
  }

  /** Called by the body when it is read. */
  readonly pull = async (controller: BodyController): Promise<void> => {
    this.#silentSince = performance.now();
    this.#keepAlive ??= setTimeout(this.#breakSilence, this.#keepAliveMs, controller);
    try {
      for (let isWritten = false; !isWritten;) {
        const { done, value } = await (this.#pending ??= this.#iterator.next());
        this.#pending = undefined;
        if (done) return this.#close(controller);
        isWritten = this.#writeNews(controller, value);
      }
      this.#silentSince = undefined;
    } catch (thrown) {
      this.#fail(controller, thrown);
    }
  };

  /** Called by the body when its reader goes away. */
  readonly cancel = (reason: unknown): void => {
    clearTimeout(this.#keepAlive);
    this.#source.abort.abort(reason);
    // Not awaited: the abort ends a step that is under way, and its outcome no longer matters.
    this.#pending?.catch(() => {});
    this.#iterator.return?.().catch(() => {});
  };

  #write(controller: BodyController, text: string, events: number, keepAlives = 0): void {
    const checkpoint = this.#source.resumeState?.nextCheckpoint({ events, keepAlives });
    controller.enqueue({ bytes: encoder.encode(text), checkpoint });
  }

  /** @returns false when another host has sent all of them */
  #writeNews(controller: BodyController, events: readonly Event[]): boolean {
    let text = '';
    let count = 0;
    let isWritten = false;
    for (const event of events) {
      const encoded = this.#source.encode(event);
      if (this.#sent > 0) {
        this.#skip();
        continue;
      }
      if (count > 0 && text.length + encoded.length > MAX_CHUNK_BYTES) {
        this.#write(controller, text, count);
        isWritten = true;
        text = '';
        count = 0;
      }
      text += encoded;
      count += 1;
    }
    if (count > 0) this.#write(controller, text, count);
    return isWritten || count > 0;
  }

  /** Another host has sent the event that was just encoded. */
  #skip(): void {
    this.#sent -= 1;
    // Keep-alives may be numbered like events.
    const { keepAlives = 0 } = this.#source.resumeState?.delivered ?? {};
    if (this.#sent === 0) for (let left = keepAlives; left > 0; left--) this.#source.keepAlive();
  }

  /** One timer for the whole stream, set again only when it fires: most streams are never silent. */
  readonly #breakSilence = (controller: BodyController): void => {
    this.#keepAlive = undefined;
    if (this.#silentSince === undefined) return;
    const now = performance.now();
    const silence = now - this.#silentSince;
    let wait = this.#keepAliveMs - silence;
    if (wait < 1) {
      // A stream that is not being read needs no keep-alive.
      // Nor has it a number while what was sent is made again.
      if (controller.desiredSize === 0) {
        if (this.#sent > 0) this.#write(controller, formatOf(this.#source).filler, 0);
        else this.#write(controller, this.#source.keepAlive(), 0, 1);
      }
      this.#silentSince = now;
      wait = this.#keepAliveMs;
    }
    this.#keepAlive = setTimeout(this.#breakSilence, wait, controller);
  };

  #close(controller: BodyController): void {
    this.#silentSince = undefined;
    clearTimeout(this.#keepAlive);
    controller.close();
  }

  #fail(controller: BodyController, thrown: unknown): void {
    this.#pending = undefined;
    this.#silentSince = undefined;
    this.#source.abort.abort();
    if (thrown instanceof BrokenConnection) {
      clearTimeout(this.#keepAlive);
      controller.error(thrown);
      return;
    }
    // What it would write here does not follow what was sent: the reader's end has the error event of that host.
    if (this.#sent > 0) {
      clearTimeout(this.#keepAlive);
      controller.error(ENGINE_GONE);
      return;
    }
    this.#write(controller, this.#source.failure(hearDefect(thrown)), 1);
    this.#close(controller);
  }
}
