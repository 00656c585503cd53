/** The caller's end of the relay: a request goes out through a port, a Response comes back. @module */
import { InferenceError, isInferenceError } from '../errors/inference-error.js';
import type { CompatibilityName } from '../models/access-options.js';
import { CONNECT_DEADLINE, REQUEST_TIMING } from './call-timing.js';
import { rejectOnAbort } from '../platform/reject-on-abort.js';
import { type Connect, hangUp } from './greeting.js';
import { openBatches, peerGone } from './open-call.js';
import { PROTOCOL_VERSION, type RequestPayload, type ResponseHead, type ResponseItem } from './protocol.js';
import { fromResponseHead, unavailableResponse } from './request-payload.js';

/** How one request is relayed. */
export interface RelayOptions {
  signal: AbortSignal;
  /** Called once when nothing of the exchange is left, however it ended. */
  onDone?: () => void;
  /** Decides the form of a 503. */
  compatibility: CompatibilityName;
}

/**
 * Sends one request to the gateway. Resolves with its answer, or with 503 when no engine can answer; rejects only with
 * the reason of `signal`, as `fetch` does. When the engine dies while the body streams, the body ends with the failure
 * tail that the head brought, or else with an error: it is never silently cut.
 */
export async function relayRequest(
  payload: RequestPayload,
  connect: Connect,
  { signal, onDone = () => {}, compatibility }: RelayOptions,
): Promise<Response> {
  const exchange = new Exchange(payload, signal, onDone);
  try {
    signal.throwIfAborted();
    return await Promise.race([exchange.run(connect), rejectOnAbort(signal)]);
  } catch {
    exchange.end();
    signal.throwIfAborted();
    return unavailableResponse(compatibility, payload.url);
  }
}

class Exchange {
  readonly #payload: RequestPayload;
  readonly #signal: AbortSignal;
  readonly #onDone: () => void;
  readonly #cancellation = new AbortController();

  constructor(payload: RequestPayload, signal: AbortSignal, onDone: () => void) {
    this.#payload = payload;
    this.#signal = signal;
    this.#onDone = onDone;
    signal.addEventListener('abort', this.end);
  }

  async run(connect: Connect): Promise<Response> {
    const payload = this.#payload;
    const { port, hello } = await connect(
      AbortSignal.any([this.#cancellation.signal, AbortSignal.timeout(CONNECT_DEADLINE)]),
    );
    if (hello.version !== PROTOCOL_VERSION) {
      hangUp(port);
      throw new InferenceError('unavailable', 'The page and its Service Worker are of two versions.');
    }
    const batches = openBatches<ResponseItem>(port, payload, {
      signal: this.#cancellation.signal,
      timing: REQUEST_TIMING,
      lifeline: hello.lifeline,
      transfer: payload.body ? [payload.body] : [],
    });
    const [head, ...chunks] = (await batches.next()).value ?? [];
    if (!head || head instanceof Uint8Array) throw peerGone();
    const body = () => this.#body(startedWith(chunks, batches), head);
    const response = fromResponseHead(head, payload.method, payload.url, body);
    if (!response.body) this.end();
    return response;
  }

  /** Cancels what still runs. */
  readonly end = (): void => {
    if (this.#cancellation.signal.aborted) return;
    this.#signal.removeEventListener('abort', this.end);
    this.#cancellation.abort();
    this.#onDone();
  };

  #body(batches: AsyncGenerator<ResponseItem[], void>, head: ResponseHead): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream(
      {
        start: (controller) => {
          this.#signal.addEventListener('abort', () => controller.error(this.#signal.reason), { once: true });
        },
        pull: async (controller) => {
          const chunk = await this.#next(batches, head);
          if (this.#signal.aborted) return;
          if (chunk) return controller.enqueue(chunk);
          controller.close();
          this.end();
        },
        // Not at once: WebKit's Service Worker stands still for ever when a signal is aborted while it cancels a stream.
        cancel: () => queueMicrotask(this.end),
      },
      { highWaterMark: 0 },
    );
  }

  /** The body's next bytes, or the failure tail where the call broke; undefined at the end. */
  async #next(
    batches: AsyncGenerator<ResponseItem[], void>,
    head: ResponseHead,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      const { value } = await batches.next();
      return value ? joined(value) : undefined;
    } catch (thrown) {
      if (this.#signal.aborted) return undefined;
      // The tail speaks for an engine that is gone; a body that broke by itself stays broken.
      const gone = isInferenceError(thrown) && thrown.code === 'unavailable';
      if (gone && head.failureTail !== undefined) return new TextEncoder().encode(head.failureTail);
      this.end();
      throw new TypeError('The answer was cut: the inference engine stopped.', { cause: thrown });
    }
  }
}

async function* startedWith<Item>(first: Item[], rest: AsyncGenerator<Item[], void>): AsyncGenerator<Item[], void> {
  if (first.length > 0) yield first;
  yield* rest;
}

/** Chunks that came together as one: every chunk of a body that crosses realms has its price. */
function joined(items: readonly ResponseItem[]): Uint8Array<ArrayBuffer> {
  const chunks = items.filter((item): item is Uint8Array<ArrayBuffer> => item instanceof Uint8Array);
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
