/** The caller's half of a call: pulls items out of a MessagePort, a credit for each one taken. @module */
import { cancelled, deserializeInferenceError, InferenceError } from '../../core/errors/inference-error.js';
import type { CallTiming } from './call-timing.js';
import { type CallPort, closeCallPort } from '../handshake.js';
import { ownLivenessLock, onPeerDeath } from '../liveness-lock.js';
import { CREDIT_STEP, type CalleeMessage, type CallerMessage } from '../protocol.js';

/** How to place a call. */
export interface CallOptions {
  /** Cancels the call; the iteration then throws InferenceError `cancelled`, once the callee has stopped. */
  signal: AbortSignal;
  timing: CallTiming;
  /** The callee's lifeline. */
  lifeline: string | undefined;
  /** What of the payload is moved, not copied. */
  transfer?: Transferable[] | undefined;
  /** Called when the callee says that it works on this call. */
  onBegun?: () => void;
  /** Called for each message, with the beats of silence before it and whether it brings items. */
  onMessage?: (silentBeats: number, brings: boolean) => void;
  /** Called when the callee is gone, is silent for too long, or does not stop in time when it is canceled. */
  onLost?: () => void;
  /** Takes the port for another call, when this one has come to its end. Absent: it is closed. */
  release?: () => void;
  /** Milliseconds in which anything must be heard; undefined: only the timing counts. */
  firstBeat?: number;
}

/** The items of a call one by one. */
export async function* readItems<Item>(call: OpenCall<Item>): AsyncGenerator<Item, void, undefined> {
  for await (const batch of call) yield* batch;
}

/** The error of a call whose callee is gone. */
export function peerLostError(): InferenceError {
  return new InferenceError('unavailable', 'The inference engine stopped.', {
    retryAfter: 1,
  });
}

type Resolve<Item> = (result: IteratorResult<Item[], undefined>) => void;

/**
 * A call on a port of its own, opened when its first batch is asked for. A batch is what came in one message; none is
 * empty, and they are asked for one at a time. Leaving the iteration cancels the call and waits for the callee to stop, at
 * most `timing.cancel`. Throws the callee's InferenceError, or `unavailable` when it is gone.
 * Not an async generator: the message handler resolves the reader directly, which saves a task per message.
 */
export class OpenCall<Item> implements AsyncIterableIterator<Item[], undefined, undefined> {
  readonly #port: CallPort;
  readonly #options: CallOptions;
  readonly #ended = new AbortController();
  /** Sent with the first request for a batch. */
  #payload: { value: unknown } | undefined;
  #batches: Item[][] = [];
  #outcome: { error?: InferenceError } | undefined;
  #cancelled = false;
  #silentBeats = 0;
  #beat: ReturnType<typeof setInterval> | undefined;
  /** Runs until the callee is heard for the first time, and while it is told to stop. */
  #late: ReturnType<typeof setTimeout> | undefined;
  #taken = 0;
  #reader: { resolve: Resolve<Item>; reject: (error: unknown) => void } | undefined;
  #onEnd: (() => void) | undefined;

  constructor(port: CallPort, payload: unknown, options: CallOptions) {
    this.#port = port;
    this.#payload = { value: payload };
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next message's items. */
  next(): Promise<IteratorResult<Item[], undefined>> {
    if (this.#payload) void this.#open(this.#payload.value);
    return new Promise(this.#read);
  }

  /** Cancels what still runs and waits for its end. */
  async return(): Promise<IteratorResult<Item[], undefined>> {
    if (this.#payload) this.#end({});
    else if (!this.#outcome) {
      this.#cancel();
      await new Promise<void>((resolve) => (this.#onEnd = resolve));
    }
    this.#batches = [];
    return { done: true, value: undefined };
  }

  async #open(payload: unknown): Promise<void> {
    this.#payload = undefined;
    const { signal, lifeline, timing, firstBeat } = this.#options;
    const gone = (): void => this.#lose();
    this.#port.addEventListener('message', this.#onMessage);
    this.#port.addEventListener('close', gone, { signal: this.#ended.signal });
    this.#port.start();
    onPeerDeath(lifeline, gone, this.#ended.signal);
    this.#beat = setInterval(() => {
      this.#silentBeats += 1;
      if (this.#silentBeats > timing.silentBeats) this.#lose();
    }, timing.beat);
    if (firstBeat) this.#late = setTimeout(() => this.#lose(), firstBeat);
    // Whoever cannot have a lock cannot watch one either.
    const own = lifeline && (await ownLivenessLock());
    const open: CallerMessage<unknown> = { type: 'open', payload, lifeline: own };
    this.#port.postMessage(open, this.#options.transfer ?? []);
    if (signal.aborted) this.#cancel();
    else signal.addEventListener('abort', () => this.#cancel(), { signal: this.#ended.signal });
  }

  readonly #read = (resolve: Resolve<Item>, reject: (error: unknown) => void): void => {
    this.#reader = { resolve, reject };
    this.#hand();
  };

  /** Gives the reader what there is for it. */
  #hand(): void {
    const reader = this.#reader;
    const batch = this.#cancelled ? undefined : this.#batches[0];
    if (!reader || (!batch && !this.#outcome)) return;
    this.#reader = undefined;
    if (batch) {
      this.#batches.shift();
      this.#taken += batch.length;
      if (this.#taken >= CREDIT_STEP) {
        this.#send({ type: 'credit', count: this.#taken });
        this.#taken = 0;
      }
      reader.resolve({ done: false, value: batch });
    } else if (this.#cancelled) reader.reject(cancelled());
    else if (this.#outcome?.error) reader.reject(this.#outcome.error);
    else reader.resolve({ done: true, value: undefined });
  }

  #cancel(): void {
    if (this.#cancelled || this.#outcome) return;
    this.#cancelled = true;
    this.#send({ type: 'cancel' });
    this.#late = setTimeout(() => this.#lose(), this.#options.timing.cancel);
  }

  #lose(): void {
    this.#options.onLost?.();
    this.#end({ error: peerLostError() });
  }

  readonly #onMessage = (event: MessageEvent<CalleeMessage<Item>>): void => {
    const message = event.data;
    if (!this.#cancelled) clearTimeout(this.#late);
    const { items } = message as { items?: Item[] };
    this.#options.onMessage?.(this.#silentBeats, !!items);
    this.#silentBeats = 0;
    if (items) this.#batches.push(items);
    switch (message.type) {
      case 'items':
        return this.#hand();
      case 'end':
        return this.#end({});
      case 'error':
        return this.#end({ error: deserializeInferenceError(message.error) });
      case 'begun':
        return this.#options.onBegun?.();
      // The others say only that someone is there.
      default:
    }
  };

  #end(outcome: { error?: InferenceError }): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    this.#port.removeEventListener('message', this.#onMessage);
    clearInterval(this.#beat);
    clearTimeout(this.#late);
    this.#ended.abort();
    if (this.#options.release && !outcome.error && !this.#cancelled) this.#options.release();
    else closeCallPort(this.#port);
    this.#hand();
    this.#onEnd?.();
  }

  #send(message: CallerMessage<unknown>): void {
    if (!this.#outcome) this.#port.postMessage(message);
  }
}
