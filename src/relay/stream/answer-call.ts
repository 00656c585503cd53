/** The callee's half of a call: pushes items into a MessagePort as far as the caller's credit goes. @module */
import { yieldToEventLoop } from '../../core/platform/pause.js';
import { hearDefect } from '../../core/errors/hear-defect.js';
import { cancelled, serializeInferenceError } from '../../core/errors/inference-error.js';
import type { CallTiming } from './call-timing.js';
import type { CallPort } from '../handshake.js';
import { onPeerDeath } from '../liveness-lock.js';
import { BUFFER_LIMIT, CREDIT_WINDOW, type CalleeMessage, type CallerMessage } from '../protocol.js';

/**
 * Produces the items of one call. `signal` aborts when the caller cancels, dies or takes nothing any more. `begin` tells
 * the caller that the work begins: from then on it asks no one else when this realm dies. What comes together, in one
 * batch, is sent together as far as the caller's credit goes. What it returns is the last batch and goes with the end.
 */
export type CallHandler<Payload, Item> = (
  payload: Payload,
  signal: AbortSignal,
  begin: () => void,
) => AsyncIterable<readonly Item[], readonly Item[] | void>;

/** Makes fewer items of those that are sent together; at least one. */
type Join<Item> = (items: Item[]) => Item[];

/** What is done to what a call sends. */
export interface CallHooks<Payload, Item> {
  /** Makes fewer items of those that are collected. */
  join?: Join<Item>;
  /** What the caller gets for an error of the handler. @default the error itself */
  explain?: (thrown: unknown, payload: Payload) => unknown;
}

/**
 * Answers the calls that come through a port, one after the other. The first items go out at once, and so do all items of a
 * slow source. Those of a fast source are collected into messages {@link PACE_MS} apart, because each message costs work on
 * four threads, and the engine needs the processor. For a slow caller items are collected, up to {@link BUFFER_LIMIT}, and
 * then the handler is not asked for more. Resolves when a call has failed, or the caller has left: the port is not used again then. Never rejects: errors of
 * the handler go to the caller.
 */
export async function answerCall<Payload, Item>(
  port: CallPort,
  handler: CallHandler<Payload, Item>,
  timing: CallTiming,
  hooks: CallHooks<Payload, Item> = {},
): Promise<void> {
  let isFree = await new AnsweredCall<Payload, Item>(port, timing, hooks).run(handler);
  while (isFree) isFree = await new AnsweredCall<Payload, Item>(port, timing, hooks, FIRST_BEAT_MS).run(handler);
}

/** Milliseconds. */
const TURN_INTERVAL_MS = 5;

/** Milliseconds until a caller that uses its port again hears that someone is there: it has waited for no `hello`. */
const FIRST_BEAT_MS = 250;

/** Milliseconds between two messages of a fast source: one frame of a screen, so the delay is not visible. */
export const PACE_MS = 16;

/** Messages that may be sent ahead of that pace. */
const BURST = 4;

class AnsweredCall<Payload, Item> {
  readonly #port: CallPort;
  readonly #timing: CallTiming;
  readonly #hooks: CallHooks<Payload, Item>;
  readonly #firstBeat: number | undefined;
  readonly #cancellation = new AbortController();
  readonly signal: AbortSignal = this.#cancellation.signal;
  readonly #ended = new AbortController();
  #buffer: Item[] = [];
  #credit = CREDIT_WINDOW;
  #wake: (() => void) | undefined;
  /** Messages that may be sent now, and when that was true. */
  #allowance = BURST;
  #allowedAt = 0;
  #nextMessage: ReturnType<typeof setTimeout> | undefined;
  /** No more items will come: what is collected goes out as credit allows. */
  #isComplete = false;
  #isEndSent = false;
  /** Undefined: it is open. */
  #open: ((payload: { value: Payload } | undefined) => void) | undefined;

  /** @param firstBeat milliseconds; undefined: like the others */
  constructor(port: CallPort, timing: CallTiming, hooks: CallHooks<Payload, Item>, firstBeat?: number) {
    this.#port = port;
    this.#timing = timing;
    this.#hooks = hooks;
    this.#firstBeat = firstBeat;
  }

  readonly #begin = (): void => this.#send({ type: 'begun' });

  /** @returns whether the port can be used again */
  async run(handler: CallHandler<Payload, Item>): Promise<boolean> {
    const opened = new Promise<{ value: Payload } | undefined>((resolve) => (this.#open = resolve));
    this.#port.addEventListener('message', this.#onMessage);
    this.#port.addEventListener('close', () => this.#cancel(), { signal: this.#ended.signal });
    this.#port.start();
    const payload = await opened;
    this.#open = undefined;
    if (!payload) {
      this.#leave();
      this.#port.close();
      return false;
    }
    const tellAlive = (): void => this.#send({ type: 'alive' });
    const beat = setInterval(tellAlive, this.#timing.beat);
    const firstBeat = this.#firstBeat === undefined ? undefined : setTimeout(tellAlive, this.#firstBeat);
    let isFree = false;
    try {
      await this.#pump(handler(payload.value, this.signal, this.#begin));
      isFree = !this.signal.aborted;
    } catch (thrown) {
      this.#isComplete = false;
      this.#flush();
      this.#send({
        type: 'error',
        error: serializeInferenceError(hearDefect(this.#hooks.explain?.(thrown, payload.value) ?? thrown)),
      });
    }
    clearInterval(beat);
    clearTimeout(firstBeat);
    clearTimeout(this.#nextMessage);
    this.#leave();
    // Closing at once could overtake the last message where the port is still on its way to another realm.
    if (!isFree) setTimeout(() => this.#port.close(), 1_000);
    return isFree;
  }

  /** What comes now is not of this call. */
  #leave(): void {
    this.#ended.abort();
    this.#port.removeEventListener('message', this.#onMessage);
  }

  async #pump(source: AsyncIterable<readonly Item[], readonly Item[] | void>): Promise<void> {
    const batches = source[Symbol.asyncIterator]();
    let turned = performance.now();
    let step = await batches.next();
    for (; !step.done; step = await batches.next()) {
      try {
        this.signal.throwIfAborted();
        this.#buffer.push(...step.value);
        // While a message waits for its time, what comes is sent with it.
        if (this.#nextMessage === undefined || this.#buffer.length >= BUFFER_LIMIT) this.#offer();
        while (this.#buffer.length >= BUFFER_LIMIT) await this.#moreCredit();
        // A source that never leaves its task would not see the messages that cancel it; most do by themselves.
        if (performance.now() - turned > TURN_INTERVAL_MS) {
          await yieldToEventLoop();
          turned = performance.now();
          this.signal.throwIfAborted();
        }
      } catch (thrown) {
        await batches.return?.().catch(() => {});
        throw thrown;
      }
    }
    this.#buffer.push(...(step.value ?? []));
    this.#isComplete = true;
    this.#flush();
    while (!this.#isEndSent) await this.#moreCredit();
  }

  /** Sends what is collected, now or when it is time for the next message. */
  #offer(): void {
    if (this.#credit === 0 || this.#buffer.length === 0) return;
    const now = performance.now();
    this.#allowance = Math.min(BURST, this.#allowance + (now - this.#allowedAt) / PACE_MS);
    this.#allowedAt = now;
    const isUrgent = this.#isComplete || this.#buffer.length >= BUFFER_LIMIT;
    if (isUrgent || this.#allowance >= 1) return this.#flush();
    this.#nextMessage ??= setTimeout(this.#nextOffer, Math.ceil((1 - this.#allowance) * PACE_MS));
  }

  readonly #nextOffer = (): void => {
    this.#nextMessage = undefined;
    this.#offer();
  };

  #flush(): void {
    const isEmpty = this.#buffer.length === 0;
    if (isEmpty ? !this.#isComplete : this.#credit === 0) return;
    // Joined first: what stays is only what credit is missing for, so that a credit message always follows.
    const items = isEmpty ? [] : (this.#hooks.join?.(this.#buffer) ?? this.#buffer);
    this.#buffer = items.splice(this.#credit);
    this.#credit -= items.length;
    // A message that was sent ahead of the pace (a full buffer, the end) does not make later ones wait longer.
    this.#allowance = Math.max(0, this.#allowance - 1);
    this.#isEndSent = this.#isComplete && this.#buffer.length === 0;
    if (isEmpty) this.#send({ type: 'end' });
    else this.#send({ type: this.#isEndSent ? 'end' : 'items', items });
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
    // No reader takes what is collected.
    this.#buffer = [];
    this.#cancellation.abort(cancelled());
    this.#open?.(undefined);
    this.#wake?.();
  }

  readonly #onMessage = (event: MessageEvent<CallerMessage<Payload>>): void => {
    const message = event.data;
    switch (message.type) {
      case 'open':
        onPeerDeath(message.lifeline, () => this.#cancel(), this.#ended.signal);
        return this.#open?.({ value: message.payload });
      case 'credit':
        // Of the call before.
        if (this.#open) return;
        this.#credit += message.count;
        this.#offer();
        return this.#wake?.();
      case 'cancel':
        return this.#cancel();
      case 'call':
      case 'control':
        return;
    }
  };

  /** Nothing more when it is over: a handler may call `begin` as late as it likes. */
  #send(message: CalleeMessage<Item>): void {
    if (!this.#ended.signal.aborted) this.#port.postMessage(message);
  }
}
