/** The caller's end of the relay: a request goes out through a port, a Response comes back. @module */
import type { InferenceError } from '../../core/errors/inference-error.js';
import type { CompatibilityName } from '../../core/models/inference-options.js';
import { CONNECT_DEADLINE, REQUEST_TIMING } from './call-timing.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import type { Connect } from '../handshake.js';
import { OpenCall, peerGone } from './open-call.js';
import type { RequestPayload, ResponseHead, ResponseItem } from '../protocol.js';
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
    const [batches, items] = await this.#begin(connect);
    const head = items[0] as ResponseHead | undefined;
    if (!head) throw peerGone();
    if (head.failureTail !== undefined) {
      payload.marks = [];
      const response = fromResponseHead(head, payload, () => this.#body(items, batches, connect));
      if (!response.body) this.end();
      return response;
    }
    // An answer that is no stream comes whole or not at all: a failure in the middle of it could not be reported.
    for await (const batch of batches) items.push(...batch);
    this.end();
    return fromResponseHead(head, payload, () => joined(items));
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

  /** What the client gets of these items, and how another host would go on after them. */
  #take(items: readonly ResponseItem[]): Uint8Array<ArrayBuffer> {
    const payload = this.#payload;
    for (const { mark } of items) {
      if (mark) payload.marks?.push(mark);
      else payload.marks = undefined;
    }
    return joined(items);
  }

  #body(
    items: ResponseItem[] | undefined,
    batches: OpenCall<ResponseItem>,
    connect: Connect,
  ): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { failureTail } = items![0] as ResponseHead;
    return new ReadableStream(
      {
        start: (controller) => {
          this.#fail = (reason) => controller.error(reason);
        },
        pull: async (controller) => {
          for (;;) {
            try {
              items ??= (await batches.next()).value;
              if (this.#signal.aborted) return;
              if (!items) break;
              const bytes = this.#take(items);
              items = undefined;
              if (bytes.length > 0) return controller.enqueue(bytes);
            } catch (thrown) {
              if (this.#signal.aborted) return;
              // A call throws InferenceErrors only. A body that broke by itself stays broken; the tail stands for an engine that is gone.
              if ((thrown as InferenceError).code !== 'unavailable') {
                this.end();
                throw thrown;
              }
              const next = this.#payload.marks && this.#left-- && (await this.#begin(connect).catch(() => {}));
              if (next && (next[1][0] as ResponseHead | undefined)?.failureTail !== undefined) [batches, items] = next;
              else {
                controller.enqueue(new TextEncoder().encode(failureTail));
                break;
              }
            }
          }
          controller.close();
          this.end();
        },
        // Not at once: WebKit's Service Worker stands still for ever when a signal is aborted while it cancels a stream.
        cancel: () => queueMicrotask(this.end),
      },
      { highWaterMark: 0 },
    );
  }
}

/** Chunks that came together as one: every chunk of a body that crosses realms has its price. */
function joined(items: readonly ResponseItem[]): Uint8Array<ArrayBuffer> {
  const chunks = items.flatMap((item) => ('bytes' in item ? [item.bytes as Uint8Array<ArrayBuffer>] : []));
  if (chunks.length === 1) return chunks[0]!;
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
