/** The callee's half of a call: pushes items into a MessagePort as far as the caller's credit goes. @module */
import { yieldToEventLoop } from '../decoding/yield-to-event-loop.js';
import { InferenceError, toInferenceError } from '../errors/inference-error.js';
import type { CallTiming } from './call-timing.js';
import { watchLifeline } from './lifeline.js';
import { BUFFER_LIMIT, CREDIT_WINDOW, type CalleeMessage, type CallerMessage } from './protocol.js';

/** Produces the items of one call. `signal` aborts when the caller cancels, dies or takes nothing any more. */
export type CallHandler<Payload, Item> = (payload: Payload, signal: AbortSignal) => AsyncIterable<Item>;

/**
 * Answers the one call of a port. A fast caller gets every item in a message of its own; for a slow one items are
 * collected, up to {@link BUFFER_LIMIT}, and then the handler is not asked for more. Resolves when the call is over;
 * never rejects: errors of the handler go to the caller.
 */
export async function answerCall<Payload, Item>(
  port: MessagePort,
  handler: CallHandler<Payload, Item>,
  timing: CallTiming,
): Promise<void> {
  const call = new AnsweredCall<Payload, Item>(port, timing);
  const payload = await call.opened();
  if (payload) await call.run(handler(payload.value, call.signal));
  else port.close();
}

/** Milliseconds. */
const TURN_EVERY = 5;

class AnsweredCall<Payload, Item> {
  readonly #port: MessagePort;
  readonly #timing: CallTiming;
  readonly #cancellation = new AbortController();
  readonly #ended = new AbortController();
  #buffer: Item[] = [];
  #credit = CREDIT_WINDOW;
  #wake: () => void = () => {};
  #open: (payload: { value: Payload } | undefined) => void = () => {};

  constructor(port: MessagePort, timing: CallTiming) {
    this.#port = port;
    this.#timing = timing;
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  /** What the caller wants; undefined when it goes away without asking. */
  opened(): Promise<{ value: Payload } | undefined> {
    return new Promise((resolve) => {
      this.#open = resolve;
      this.#port.addEventListener('message', this.#onMessage);
      this.#port.addEventListener('close', () => this.#cancel(), { signal: this.#ended.signal });
      this.#port.start();
    });
  }

  async run(source: AsyncIterable<Item>): Promise<void> {
    const beat = setInterval(() => this.#send({ type: 'alive' }), this.#timing.beat);
    try {
      await this.#pump(source);
      this.#send({ type: 'end' });
    } catch (thrown) {
      this.#send({ type: 'error', error: toInferenceError(thrown).serialize() });
    } finally {
      clearInterval(beat);
      this.#ended.abort();
      this.#port.removeEventListener('message', this.#onMessage);
      // Closing at once could overtake the last message where the port is still on its way to another realm.
      setTimeout(() => this.#port.close(), 1_000);
    }
  }

  async #pump(source: AsyncIterable<Item>): Promise<void> {
    let turned = performance.now();
    for await (const item of source) {
      this.signal.throwIfAborted();
      this.#buffer.push(item);
      this.#flush();
      while (this.#buffer.length >= BUFFER_LIMIT) await this.#moreCredit();
      // A source that never leaves its task would not see the messages that cancel it; most do by themselves.
      if (performance.now() - turned > TURN_EVERY) {
        await yieldToEventLoop();
        turned = performance.now();
        this.signal.throwIfAborted();
      }
    }
    while (this.#buffer.length > 0) await this.#moreCredit();
  }

  #flush(): void {
    if (this.#credit === 0 || this.#buffer.length === 0) return;
    const items = this.#buffer.splice(0, this.#credit);
    this.#credit -= items.length;
    this.#send({ type: 'items', items });
  }

  async #moreCredit(): Promise<void> {
    let stalled: ReturnType<typeof setTimeout> | undefined;
    if (this.#timing.stall !== Infinity) stalled = setTimeout(() => this.#cancel(), this.#timing.stall);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.signal.aborted) resolve();
    });
    clearTimeout(stalled);
    this.signal.throwIfAborted();
  }

  #cancel(): void {
    this.#cancellation.abort(new InferenceError('cancelled', 'The request was cancelled.'));
    this.#open(undefined);
    this.#wake();
  }

  readonly #onMessage = (event: MessageEvent<CallerMessage<Payload>>): void => {
    const message = event.data;
    switch (message.type) {
      case 'open':
        watchLifeline(message.lifeline, () => this.#cancel(), this.#ended.signal);
        return this.#open({ value: message.payload });
      case 'credit':
        this.#credit += message.count;
        this.#flush();
        return this.#wake();
      case 'cancel':
        return this.#cancel();
      case 'call':
        return;
    }
  };

  #send(message: CalleeMessage<Item>): void {
    this.#port.postMessage(message);
  }
}
