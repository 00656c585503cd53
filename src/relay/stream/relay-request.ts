/** The caller's end of the relay: a request goes out through a port, a Response comes back. @module */
import type { InferenceError } from '../../core/errors/inference-error.js';
import type { CompatibilityName } from '../../core/models/inference-options.js';
import { CONNECT_DEADLINE, REQUEST_TIMING } from './call-timing.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import type { Connect } from '../handshake.js';
import { OpenCall, peerGone } from './open-call.js';
import type { RequestPayload, ResponseChunk, ResponseHead, ResponseItem } from '../protocol.js';
import { fromResponseHead, mannerOf, unavailableResponse } from './request-payload.js';

/** Hosts that are asked for the beginning of an answer, one after the other is gone; and for the rest of one. */
const ATTEMPTS = 4;

/** How one request is relayed. */
export interface RelayOptions {
  signal: AbortSignal;
  /** Called once when nothing of the exchange is left, however it ended. */
  onDone?: () => void;
  /** What the app asked for; decides the form of a 503. */
  compatibility: CompatibilityName | null | undefined;
}

/**
 * Sends one request to the gateway, and to the next one when the first is gone before a model worked on it. Resolves with
 * the answer, or with 503 when no engine can answer; rejects only with
 * the reason of `signal`, as `fetch` does. When the engine dies while the body streams, the next gateway goes on with it where
 * its pieces are marked; else the body ends with the failure tail that the head brought, or with an error: it is never
 * silently cut.
 */
export async function relayRequest(
  payload: RequestPayload,
  connect: Connect,
  { signal, onDone, compatibility }: RelayOptions,
): Promise<Response> {
  const exchange = new Exchange(payload, signal, onDone);
  try {
    signal.throwIfAborted();
    return await orAborted(exchange.run(connect), signal);
  } catch {
    exchange.end();
    signal.throwIfAborted();
    return unavailableResponse(mannerOf(compatibility, payload.intercepted), payload.url);
  }
}

class Exchange {
  readonly #payload: RequestPayload;
  readonly #signal: AbortSignal;
  readonly #onDone: (() => void) | undefined;
  readonly #cancellation = new AbortController();
  /** How often another host may yet go on with the body. */
  #left = ATTEMPTS;
  /** Errors the body, where there is one. */
  #fail: (reason: unknown) => void = () => {};

  constructor(payload: RequestPayload, signal: AbortSignal, onDone: (() => void) | undefined) {
    this.#payload = { ...payload };
    this.#signal = signal;
    this.#onDone = onDone;
    signal.addEventListener('abort', this.#leave);
  }

  async run(connect: Connect): Promise<Response> {
    const payload = this.#payload;
    const [batches, [first, ...rest]] = await this.#begin(connect);
    if (!first) throw peerGone();
    const head = first as ResponseHead;
    const chunks = rest as ResponseChunk[];
    if (head.failureTail !== undefined) {
      payload.marks = [];
      const response = fromResponseHead(head, payload, () => this.#body(head.failureTail!, chunks, batches, connect));
      if (!response.body) this.end();
      return response;
    }
    // An answer that is no stream comes whole or not at all: a failure in the middle of it could not be reported.
    for await (const batch of batches) chunks.push(...(batch as ResponseChunk[]));
    this.end();
    return fromResponseHead(head, payload, () => new Blob(chunks.map(({ bytes }) => bytes)));
  }

  /** The first items of a gateway. One that is gone before it has begun to work is not the last to be asked. */
  async #begin(connect: Connect): Promise<[OpenCall<ResponseItem>, ResponseItem[]]> {
    const { signal } = this.#cancellation;
    for (let attempt = 1; ; attempt++) {
      const { port, hello } = await connect(AbortSignal.any([signal, AbortSignal.timeout(CONNECT_DEADLINE)]));
      let isBegun = attempt === ATTEMPTS;
      const batches = new OpenCall<ResponseItem>(port, this.#payload, {
        signal,
        timing: REQUEST_TIMING,
        lifeline: hello.lifeline,
        onBegun: () => (isBegun = true),
      });
      try {
        return [batches, (await batches.next()).value ?? []];
      } catch (thrown) {
        // Nobody is asked for a caller that has left: `connect` rejects then.
        if (isBegun) throw thrown;
      }
    }
  }

  readonly #leave = (): void => {
    this.#fail(this.#signal.reason);
    this.end();
  };

  /** Cancels what still runs. */
  readonly end = (): void => {
    if (this.#cancellation.signal.aborted) return;
    this.#signal.removeEventListener('abort', this.#leave);
    this.#cancellation.abort();
    this.#onDone?.();
  };

  #body(
    failureTail: string,
    chunks: ResponseChunk[] | undefined,
    batches: OpenCall<ResponseItem>,
    connect: Connect,
  ): ReadableStream<Uint8Array> {
    const payload = this.#payload;
    return new ReadableStream(
      {
        start: (controller) => {
          this.#fail = (reason) => controller.error(reason);
        },
        pull: async (controller) => {
          for (let isFed = false; !isFed;) {
            try {
              chunks ??= (await batches.next()).value as ResponseChunk[] | undefined;
            } catch (thrown) {
              // A call throws InferenceErrors only. A body that broke by itself stays broken; the tail stands for an engine that is gone.
              if ((thrown as InferenceError).code !== 'unavailable') {
                this.end();
                throw thrown;
              }
              const next = payload.marks && this.#left-- && (await this.#begin(connect).catch(() => {}));
              if (next && (next[1][0] as ResponseHead | undefined)?.failureTail !== undefined) {
                [batches, [, ...chunks]] = next as [OpenCall<ResponseItem>, [ResponseHead, ...ResponseChunk[]]];
              } else if (!this.#signal.aborted) controller.enqueue(new TextEncoder().encode(failureTail));
            }
            if (this.#signal.aborted) return;
            if (!chunks) {
              controller.close();
              return this.end();
            }
            for (const { bytes, mark } of chunks) {
              controller.enqueue(bytes);
              // What another host must be told to go on from here.
              if (mark) payload.marks?.push(mark);
              else payload.marks = undefined;
              isFed = true;
            }
            chunks = undefined;
          }
        },
        // Not at once: WebKit's Service Worker stands still for ever when a signal is aborted while it cancels a stream.
        cancel: () => queueMicrotask(this.end),
      },
      { highWaterMark: 0 },
    );
  }
}
