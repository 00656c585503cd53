/** The caller's end of the relay: a request goes out through a port, a Response comes back. @module */
import type { InferenceError } from '../../core/errors/inference-error.js';
import type { CompatibilityName } from '../../core/models/inference-options.js';
import { CONNECT_TIMEOUT_MS, REQUEST_TIMING, ROUTE_TIMING } from './call-timing.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import type { Connect } from '../handshake.js';
import { OpenCall, peerLostError } from './open-call.js';
import type { ResumeCheckpoint } from '../../core/events/resume-checkpoint.js';
import type { RequestPayload, ResponseChunk, ResponseHead, ResponseItem } from '../protocol.js';
import { fromResponseHead, resolveCompatibility, unavailableResponse } from './request-payload.js';

/** Hosts that are asked for the beginning of an answer, one after the other is gone; and for the rest of one. */
const MAX_ATTEMPTS = 4;

/** How one request is relayed. */
export interface RelayOptions {
  signal: AbortSignal;
  /** Called once when nothing of the exchange is left, however it ended. */
  onDone?: () => void;
  /** What the app asked for; decides the form of a 503. */
  compatibility: CompatibilityName | null | undefined;
  /** Of the service. */
  prefix: string;
  /** A route of the app: its handler gets the request once, and its lifeline alone says that it is gone. @default false */
  isRoute?: boolean;
  /** Makes the body of a streamed answer, where the browser's own constructor cannot read ours. */
  toBody?: ToBody | undefined;
}

/** Makes a stream that asks for no more than its reader takes. */
export type ToBody = (source: AnswerSource) => ReadableStream<Uint8Array>;

/** What gives the bytes of a streamed answer. */
export type AnswerSource = Required<Pick<UnderlyingDefaultSource<Uint8Array>, 'start' | 'pull' | 'cancel'>>;

const toStream: ToBody = (source) => new ReadableStream(source, { highWaterMark: 0 });

/**
 * Sends one request to the gateway, and to the next one when the first is gone before a model worked on it. Resolves with
 * the answer, or with 503 when no engine can answer; rejects only with the reason of `signal`, as `fetch` does. When the
 * engine dies while the body streams, the next gateway continues it if all its chunks have checkpoints. Else the body ends
 * with the failure tail of the head or, without one, with an error: it is never silently truncated.
 */
export async function relayRequest(
  payload: RequestPayload,
  connect: Connect,
  options: RelayOptions,
): Promise<Response> {
  const exchange = new Exchange(payload, connect, options);
  const { signal, compatibility, prefix } = options;
  try {
    signal.throwIfAborted();
    return await orAborted(exchange.answer(), signal);
  } catch {
    exchange.end();
    signal.throwIfAborted();
    return unavailableResponse(resolveCompatibility(compatibility, payload.intercepted), payload.url, prefix);
  }
}

/** The call, and its first items. */
type BegunAnswer = [OpenCall<ResponseItem>, ResponseHead?, ...ResponseChunk[]];

/** One request and what comes of it, until its body has ended or the caller has left. */
class Exchange {
  readonly #payload: RequestPayload;
  readonly #connect: Connect;
  readonly #options: RelayOptions;
  readonly #cancellation = new AbortController();
  readonly signal: AbortSignal;
  /** How many hosts may be asked for its beginning, and then for the rest. */
  readonly attempts: number;
  /** Where there is a body. */
  body: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(payload: RequestPayload, connect: Connect, options: RelayOptions) {
    this.#payload = payload;
    this.#connect = connect;
    this.#options = options;
    this.signal = options.signal;
    this.attempts = options.isRoute ? 0 : MAX_ATTEMPTS;
    this.signal.addEventListener('abort', this.#leave);
  }

  readonly #leave = (): void => {
    this.body?.error(this.signal.reason);
    this.end();
  };

  /** Cancels what still runs. */
  end(): void {
    if (this.#cancellation.signal.aborted) return;
    this.signal.removeEventListener('abort', this.#leave);
    this.#cancellation.abort();
    this.#options.onDone?.();
  }

  async answer(): Promise<Response> {
    const [batches, head, ...chunks] = await this.begin();
    if (!head) throw peerLostError();
    // What does not stream comes whole or not at all: a failure in the middle of it could not be reported.
    if (!head.streams) for await (const batch of batches) chunks.push(...(batch as ResponseChunk[]));
    // Never a Blob: another process would keep it, and send it.
    const response = fromResponseHead(head, this.#payload, () =>
      (this.#options.toBody ?? toStream)(new AnswerBody(this, batches, chunks, head.failureTail)),
    );
    if (!head.streams || !response.body) this.end();
    return response;
  }

  /** The first items of a gateway. One that is gone before it has begun to work is not the last to be asked. */
  async begin(checkpoints?: ResumeCheckpoint[]): Promise<BegunAnswer> {
    const { signal } = this.#cancellation;
    for (let attempt = 1; ; attempt++) {
      const isMoved = !!this.#payload.stream;
      const { port, hello, ...reuse } = await this.#connect(
        AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]),
        attempt > 1 || isMoved,
      );
      let isBegun = attempt >= this.attempts || isMoved;
      const batches = new OpenCall<ResponseItem>(
        port,
        { ...this.#payload, checkpoints },
        {
          signal,
          timing: this.#options.isRoute ? ROUTE_TIMING : REQUEST_TIMING,
          lifeline: hello.lifeline,
          transfer: this.#payload.stream,
          onBegun: () => (isBegun = true),
          ...reuse,
        },
      );
      try {
        return [batches, ...((await batches.next()).value ?? [])] as BegunAnswer;
      } catch (thrown) {
        // No gateway is asked for a caller that has left: `connect` rejects then.
        if (isBegun) throw thrown;
      }
    }
  }
}

/** The bytes of a streamed answer, from as many hosts as it takes. */
class AnswerBody implements AnswerSource {
  readonly #exchange: Exchange;
  readonly #failureTail: string | undefined;
  #batches: OpenCall<ResponseItem>;
  /** Not passed on yet. */
  #chunks: ResponseChunk[] | undefined;
  /** What another host needs to resume from here; undefined: none can. */
  #checkpoints: ResumeCheckpoint[] | undefined = [];
  #attemptsLeft: number;

  constructor(exchange: Exchange, batches: OpenCall<ResponseItem>, chunks: ResponseChunk[], failureTail?: string) {
    this.#exchange = exchange;
    this.#attemptsLeft = exchange.attempts;
    this.#batches = batches;
    this.#chunks = chunks;
    this.#failureTail = failureTail;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#exchange.body = controller;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (let isFed = false; !isFed;) {
      let chunks = this.#chunks;
      this.#chunks = undefined;
      try {
        chunks ??= (await this.#batches.next()).value as ResponseChunk[] | undefined;
      } catch (thrown) {
        const isGone = (thrown as InferenceError).code === 'unavailable';
        if (isGone && (await this.#resume())) continue;
        // A call throws InferenceErrors only. A body that broke by itself stays broken; the tail stands for an engine that is gone.
        if (!isGone || !this.#failureTail) {
          controller.error(thrown);
          return this.#exchange.end();
        }
        controller.enqueue(new TextEncoder().encode(this.#failureTail));
      }
      // A body that the caller's signal has ended takes nothing: what this throws then is not heard.
      if (!chunks) {
        controller.close();
        return this.#exchange.end();
      }
      for (const { bytes, checkpoint } of chunks) {
        controller.enqueue(bytes);
        if (checkpoint) this.#checkpoints?.push(checkpoint);
        else this.#checkpoints = undefined;
        isFed = true;
      }
    }
  }

  /** @returns whether another host goes on with it */
  async #resume(): Promise<boolean> {
    if (!this.#checkpoints || this.#attemptsLeft-- <= 0) return false;
    const [batches, head, ...chunks] = (await this.#exchange.begin(this.#checkpoints).catch(() => undefined)) ?? [];
    if (!batches || !head?.streams) return false;
    this.#batches = batches;
    this.#chunks = chunks;
    return true;
  }

  cancel(): void {
    // Not at once: WebKit's Service Worker stands still for ever when a signal is aborted while it cancels a stream.
    queueMicrotask(() => this.#exchange.end());
  }
}
