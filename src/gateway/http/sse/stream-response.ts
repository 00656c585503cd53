/**
 * Events of a dialect as a streamed answer. The first event is awaited before the headers are sent, so that whatever
 * fails before the stream begins is an ordinary error answer; a slow start is bridged with the dialect's keep-alive.
 * @module
 */
import { InferenceError, toInferenceError } from '../../../core/errors/inference-error.js';
import { BrokenConnection } from '../faults.js';
import { settledWithin } from '../../../core/platform/settled-within.js';
import { setFailureTail } from '../../../relay/stream/failure-tail.js';
import type { HttpContext } from '../http-context.js';
import { encodeServerSentEvent } from './server-sent-event.js';
import type { ServerSentEvent } from './server-sent-event.js';

/** What a dialect gives to have its events streamed. */
export interface StreamSource {
  /** Each item is sent in one piece. Ending early (`return`) must free the engine. */
  events: AsyncIterable<readonly ServerSentEvent[]>;
  /** Aborted when the reader goes away. */
  abort: AbortController;
  /** Text that this dialect's clients skip: an SSE comment, a `ping`, a `keepalive` event. */
  keepAlive: () => string;
  /** The last events of a stream that failed after it began. */
  failure: (error: InferenceError) => readonly ServerSentEvent[];
}

const UNAVAILABLE = new InferenceError('unavailable', 'Service Temporarily Unavailable');

/**
 * A 200 `text/event-stream` answer with back-pressure: nothing is pulled from the source before it is read.
 * An error after the start becomes the dialect's failure events, then the stream ends. Cancelling the body aborts.
 * @throws InferenceError (or whatever the source throws) when the source fails before its first event
 */
export async function streamResponse(context: HttpContext, source: StreamSource): Promise<Response> {
  const iterator = context.faults.disturb(source.events, source.abort.signal)[Symbol.asyncIterator]();
  const stream = new EventStream(iterator, source, context.streamTiming.keepAliveMs);
  await stream.begin(context.streamTiming.startDelayMs);
  const response = new Response(stream.body(), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  });
  setFailureTail(response, encodeEvents(source.failure(UNAVAILABLE)));
  return response;
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

function encodeEvents(events: readonly ServerSentEvent[]): string {
  return events.map(encodeServerSentEvent).join('');
}

type Step = IteratorResult<readonly ServerSentEvent[]>;

/** The state of one open stream: the step that is under way, if any. */
class EventStream {
  readonly #iterator: AsyncIterator<readonly ServerSentEvent[]>;
  readonly #source: StreamSource;
  readonly #keepAliveMs: number;
  #pending: Promise<Step> | undefined;

  constructor(iterator: AsyncIterator<readonly ServerSentEvent[]>, source: StreamSource, keepAliveMs: number) {
    this.#iterator = iterator;
    this.#source = source;
    this.#keepAliveMs = keepAliveMs;
  }

  /** Waits for the first step, at most so long. Rejects when the step does; only a broken connection breaks the body. */
  async begin(startDelayMs: number): Promise<void> {
    this.#pending = this.#iterator.next();
    await settledWithin(this.#pending, startDelayMs).catch((thrown: unknown) => {
      if (!(thrown instanceof BrokenConnection)) throw thrown;
    });
  }

  body(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: (controller) => this.#pull(controller),
        cancel: (reason) => this.#cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    this.#pending ??= this.#iterator.next();
    try {
      const step = await settledWithin(this.#pending, this.#keepAliveMs);
      if (step === undefined) {
        controller.enqueue(encoder.encode(this.#source.keepAlive()));
        return;
      }
      this.#pending = undefined;
      if (step.done) controller.close();
      else controller.enqueue(encoder.encode(encodeEvents(step.value)));
    } catch (thrown) {
      this.#fail(controller, thrown);
    }
  }

  #fail(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>, thrown: unknown): void {
    this.#pending = undefined;
    this.#source.abort.abort();
    if (thrown instanceof BrokenConnection) {
      controller.error(thrown);
      return;
    }
    controller.enqueue(encoder.encode(encodeEvents(this.#source.failure(toInferenceError(thrown)))));
    controller.close();
  }

  #cancel(reason: unknown): void {
    this.#source.abort.abort(reason);
    // Not awaited: the abort ends a step that is under way, and nobody is left to hear how.
    this.#pending?.catch(() => {});
    this.#iterator.return?.().catch(() => {});
  }
}
