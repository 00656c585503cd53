/**
 * Calls that control another realm (start, load, stop): comlink, and what it lacks. Errors keep their class and fields,
 * a call whose peer is gone rejects, and a signal reaches the peer. Requests and token streams have ports of their own
 * (`../stream/`).
 * @module
 */
import { type Endpoint, expose, releaseProxy, type Remote, transferHandlers, wrap } from 'comlink';
import {
  cancelled,
  deserializeInferenceError,
  serializeInferenceError,
  type SerializedInferenceError,
  throwIfCancelled,
  toInferenceError,
} from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { RetryInNewWorker } from '../../core/models/retry-in-new-worker.js';
import { pause } from '../../core/platform/pause.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import { onPeerDeath } from '../liveness-lock.js';
import { peerLostError } from '../stream/open-call.js';

/** Milliseconds that a canceled call may take to end. A worker that does not stop is ended afterwards. */
const CANCEL_TIMEOUT_MS = 2_000;

/** An error that crosses realms; `retry` is there for a {@link RetryInNewWorker}. */
interface WireError {
  error: SerializedInferenceError;
  retry: ModelEntry | undefined;
}

const thrownErrors = transferHandlers.get('throw')!;
transferHandlers.set('throw', {
  canHandle: (value): value is unknown => thrownErrors.canHandle(value),
  serialize(thrown): [WireError, Transferable[]] {
    const { value } = thrown as { value: unknown };
    const retry = value instanceof RetryInNewWorker ? value.entry : undefined;
    return [{ error: serializeInferenceError(toInferenceError(value)), retry }, []];
  },
  deserialize(wire): never {
    const { error, retry } = wire as WireError;
    const thrown = deserializeInferenceError(error);
    throw retry ? new RetryInNewWorker(thrown, retry) : thrown;
  },
});

// A port that hears once of the abort. Both ends are closed then: see `ControlChannel.call`, whose signals always abort.
transferHandlers.set('signal', {
  canHandle: (value): value is AbortSignal => value instanceof AbortSignal,
  serialize(signal): [MessagePort, Transferable[]] {
    const { port1, port2 } = new MessageChannel();
    const tell = (): void => {
      port1.postMessage(undefined);
      port1.close();
    };
    (signal as AbortSignal).addEventListener('abort', tell, { once: true });
    return [port2, [port2]];
  },
  deserialize(wire): AbortSignal {
    const port = wire as MessagePort;
    const controller = new AbortController();
    port.onmessage = () => {
      controller.abort(cancelled());
      port.close();
    };
    return controller.signal;
  },
});

/**
 * Answers the calls of the other end by the methods of `control`. Comlink's own `expose` would leave the handlers above out.
 * @param end default: that of a worker's page
 */
export function serveControl(control: object, end?: Endpoint): void {
  expose(control, end);
}

/** Calls to one peer. To be kept as long as it is in use: comlink releases a peer that is collected as garbage. */
export class ControlChannel<Control> {
  readonly #end: Worker | MessagePort;
  readonly #peer: Remote<Control>;
  readonly #closed = new AbortController();

  /** @param lifeline the peer's */
  constructor(end: Worker | MessagePort, lifeline: string | undefined) {
    this.#end = end;
    this.#peer = wrap<Control>(end);
    const lose = (): void => this.#closed.abort(peerLostError());
    onPeerDeath(lifeline, lose, this.#closed.signal);
    end.addEventListener('close', lose, { signal: this.#closed.signal });
  }

  /** Aborts when the peer is gone, or when the channel is closed. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /**
   * Makes a call. Rejects with the peer's InferenceError, with `unavailable` when the peer is gone, and with `cancelled`
   * when the signal aborts, once the peer has stopped or {@link CANCEL_TIMEOUT_MS} is over.
   * @param ask calls the peer, and passes the signal on where that takes one
   */
  async call<Result>(
    ask: (peer: Remote<Control>, signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Result> {
    throwIfCancelled(signal);
    this.closed.throwIfAborted();
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const late = pause(Infinity, either).then(() => pause(CANCEL_TIMEOUT_MS, ended.signal));
    try {
      const answer = ask(this.#peer, either);
      return await orAborted(Promise.race([answer, late.then(() => Promise.reject(cancelled()))]), this.closed);
    } catch (thrown) {
      throwIfCancelled(signal);
      throw thrown;
    } finally {
      ended.abort();
    }
  }

  /** Ends the channel; calls that are under way reject with `unavailable`. */
  close(): void {
    if (!this.closed.aborted) this.#peer[releaseProxy]();
    this.#closed.abort(peerLostError());
    // Comlink itself leaves the port of a released peer open.
    if ('close' in this.#end) this.#end.close();
  }
}
