/** Failures, delays and broken streams that an app's tests ask for. @module */
import { type FaultSettings, FAULT_SETTINGS, type FaultStatus } from '../../../core/models/fault-settings.js';
import { parseOptions } from '../../../core/models/option-schema.js';
import { pause } from '../../../core/platform/pause.js';
import { UNAVAILABLE } from '../../../core/errors/error-bodies.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { InferenceErrorCode } from '../../../core/errors/inference-error.js';

const FAILURES: Record<FaultStatus, { code: InferenceErrorCode; message: string }> = {
  400: { code: 'invalid_request', message: 'The request is invalid.' },
  401: { code: 'unauthenticated', message: 'The API key is invalid.' },
  404: { code: 'model_not_found', message: 'The model does not exist.' },
  408: { code: 'timeout', message: 'The request timed out.' },
  413: { code: 'payload_too_large', message: 'The request body is too large.' },
  429: { code: 'rate_limit_exceeded', message: 'The rate limit has been exceeded. Try again later.' },
  500: { code: 'internal', message: 'The server had an error while processing your request.' },
  502: { code: 'unavailable', message: 'Bad Gateway' },
  503: { code: 'unavailable', message: UNAVAILABLE },
  504: { code: 'unavailable', message: 'Gateway Timeout' },
  529: { code: 'unavailable', message: 'Overloaded' },
};
const RETRIED: ReadonlySet<FaultStatus> = new Set([429, 503, 529]);

/** A connection that breaks on purpose: the reader sees a network error, not the end of a stream. */
export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection';
}

/** The faults of one app. Until `set` is called nothing is disturbed. */
export class Faults {
  #settings: FaultSettings = {};
  #failuresLeft = 0;

  /**
   * Replaces all faults.
   * @throws InferenceError `invalid_request` that names a wrong field; nothing is changed then
   */
  set(settings: FaultSettings): void {
    parseOptions(FAULT_SETTINGS, settings, 'fault');
    this.#settings = settings;
    this.#failuresLeft = settings.fail === undefined ? 0 : (settings.fail.count ?? 1);
  }

  /** Turns all faults off. */
  clear(): void {
    this.set({});
  }

  /**
   * Called once per inference request, before it is answered.
   * @throws InferenceError the simulated failure
   */
  async beforeAnswer(signal: AbortSignal): Promise<void> {
    const { fail, delayBeforeHeadersMs } = this.#settings;
    const isFailing = fail !== undefined && this.#failuresLeft > 0;
    if (isFailing) this.#failuresLeft -= 1;
    await pause(delayBeforeHeadersMs ?? 0, signal);
    if (!isFailing) return;
    const { code, message } = FAILURES[fail.status];
    throw new InferenceError(code, message, {
      ...(code === 'unavailable' && { status: fail.status }),
      ...(RETRIED.has(fail.status) && { retryAfter: fail.retryAfter ?? 1 }),
    });
  }

  /** Batches of one event each, where the faults of streams count events; the same object when they are off. */
  separate<Event>(batches: AsyncIterable<readonly Event[]>): AsyncIterable<readonly Event[]> {
    const { delayPerEventMs, cutStreamAfterEvents } = this.#settings;
    return delayPerEventMs === undefined && cutStreamAfterEvents === undefined ? batches : separated(batches);
  }

  /** The events with the faults of streams applied; the same object when they are off. */
  disturb<Event>(events: AsyncIterable<Event>, signal: AbortSignal): AsyncIterable<Event> {
    const { delayPerEventMs, cutStreamAfterEvents } = this.#settings;
    if (delayPerEventMs === undefined && cutStreamAfterEvents === undefined) return events;
    return disturbed(events, delayPerEventMs, cutStreamAfterEvents ?? Infinity, signal);
  }
}

async function* separated<Event>(batches: AsyncIterable<readonly Event[]>): AsyncGenerator<readonly Event[]> {
  for await (const batch of batches) for (const event of batch) yield [event];
}

async function* disturbed<Event>(
  events: AsyncIterable<Event>,
  delayMs: number | undefined,
  cutAfter: number,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  let sent = 0;
  for await (const event of events) {
    if (sent >= cutAfter) throw new BrokenConnection('The connection was cut.');
    await pause(delayMs ?? 0, signal);
    yield event;
    sent += 1;
  }
}
