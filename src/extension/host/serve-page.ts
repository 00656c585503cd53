/** Requests of web pages, which the host answers for origins that the person has allowed. @module */
import { type InferenceError, serializeInferenceError, toInferenceError } from '../../core/errors/inference-error.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import type { Connect } from '../../relay/handshake.js';
import type { RequestPayload, ResponseHead, ResponseItem } from '../../relay/protocol.js';
import { answerCall } from '../../relay/stream/answer-call.js';
import { CONNECT_TIMEOUT_MS, REQUEST_TIMING } from '../../relay/stream/call-timing.js';
import { OpenCall, peerLostError } from '../../relay/stream/open-call.js';
import { readDecision, watchDecisions } from '../consent-store.js';
import { isAskable, notAllowed } from '../judge-origin.js';
import type { WirePort } from '../wire-port.js';
import { takeTurn } from './origin-turns.js';

/** Those of all pages. */
export class PageRequests {
  /** Of each origin: what ends a request of it that is under way. */
  readonly #running = new Map<string, Set<() => void>>();
  #isWatching = false;

  /** Answers the request that comes through a connection. @param origin as the browser tells it */
  serve(port: WirePort, origin: string | undefined, connect: Connect): Promise<void> {
    if (!this.#isWatching) watchDecisions((changed) => void this.#review(changed));
    this.#isWatching = true;
    return answerCall<RequestPayload, ResponseItem>(
      port,
      (payload, signal, begin) => this.#answer(origin, new PassedRequest(payload, connect, signal, begin)),
      REQUEST_TIMING,
    );
  }

  async *#answer(origin: string | undefined, request: PassedRequest): AsyncGenerator<ResponseItem[]> {
    if (!isAskable(origin)) return yield* request.refuse('', notAllowed());
    const running = this.#running.get(origin) ?? new Set();
    this.#running.set(origin, running.add(request.revoke));
    let leave = (): void => {};
    try {
      if (!(await readDecision(origin))) request.revoke();
      leave = await takeTurn(origin, request.signal);
      yield* request.pass(origin);
    } catch (thrown) {
      const error = request.isRevoked ? notAllowed() : toInferenceError(thrown);
      // A stream that had begun cannot be answered anew: its reader looks for another host, which refuses it.
      if (request.isBegun || !(request.isRevoked || error.code === 'rate_limit_exceeded')) throw peerLostError();
      yield* request.refuse(origin, error);
    } finally {
      leave();
      running.delete(request.revoke);
      if (running.size === 0) this.#running.delete(origin);
    }
  }

  async #review(origin: string): Promise<void> {
    const running = this.#running.get(origin);
    if (!running || (await readDecision(origin).catch(() => false))) return;
    for (const revoke of running) revoke();
  }
}

/** One request on its way to the gateway. */
class PassedRequest {
  readonly #payload: RequestPayload;
  readonly #connect: Connect;
  /** The page has left. */
  readonly #left: AbortSignal;
  readonly #begin: () => void;
  readonly #revoked = new AbortController();
  #head: ResponseHead | undefined;
  /** Aborts when the page has left, or may not ask any more. */
  readonly signal: AbortSignal;

  constructor(payload: RequestPayload, connect: Connect, left: AbortSignal, begin: () => void) {
    this.#payload = payload;
    this.#connect = connect;
    this.#left = left;
    this.#begin = begin;
    this.signal = AbortSignal.any([left, this.#revoked.signal]);
  }

  get isRevoked(): boolean {
    return this.#revoked.signal.aborted;
  }

  /** The page has got a part of the answer. */
  get isBegun(): boolean {
    return this.#head !== undefined;
  }

  /** Its page may not ask any more. What comes whole is on its way with its head. */
  readonly revoke = (): void => {
    if (!this.#head || this.#head.streams) this.#revoked.abort();
  };

  /** The answer. @throws what the signal says */
  async *pass(origin: string): AsyncGenerator<ResponseItem[]> {
    for await (const batch of await this.#ask(origin, this.signal)) {
      this.#head ??= batch[0] as ResponseHead;
      yield batch;
    }
  }

  /** The answer that says no, in the form of the endpoint. */
  async *refuse(origin: string, error: InferenceError): AsyncGenerator<ResponseItem[]> {
    yield* await this.#ask(origin, this.#left, serializeInferenceError(error));
  }

  async #ask(
    origin: string,
    signal: AbortSignal,
    refusal?: RequestPayload['refusal'],
  ): Promise<OpenCall<ResponseItem>> {
    const { url, method, headers, body, checkpoints } = this.#payload;
    const payload: RequestPayload = { url, method, headers, body, checkpoints, origin, refusal };
    const found = this.#connect(AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]), true);
    const { port, hello } = await orAborted(found, signal);
    const options = { signal, timing: REQUEST_TIMING, lifeline: hello.lifeline, onBegun: this.#begin };
    return new OpenCall(port, payload, options);
  }
}
