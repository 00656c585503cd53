/** Rehearsal switches: failures, delays and broken streams on demand, for the tests of an app. @module */
import { checkNames } from '../../core/models/check-names.js';
import type { FaultSettings } from '../../core/models/fault-settings.js';
import { pause } from '../../core/platform/pause.js';
import { UNAVAILABLE } from '../../core/errors/error-bodies.js';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { InferenceErrorCode } from '../../core/errors/inference-error.js';

const SWITCHES: Record<keyof FaultSettings, true> = {
  fail: true,
  delayBeforeHeadersMs: true,
  delayPerTokenMs: true,
  cutStreamAfterEvents: true,
};
const FAILURE_FIELDS: Record<keyof NonNullable<FaultSettings['fail']>, true> = {
  status: true,
  count: true,
  retryAfter: true,
};

const CODES: Record<408 | 429 | 500 | 503, { code: InferenceErrorCode; message: string }> = {
  408: { code: 'timeout', message: 'The request timed out.' },
  429: { code: 'rate_limit_exceeded', message: 'The rate limit has been exceeded. Try again later.' },
  500: { code: 'internal', message: 'The server had an error while processing your request.' },
  503: { code: 'unavailable', message: UNAVAILABLE },
};

/** A connection that breaks on purpose: the reader sees a network error, not the end of a stream. */
export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection';
}

/** The switches of one app. Without a call of `set` nothing is disturbed. */
export class Faults {
  #settings: FaultSettings = {};
  #failuresLeft = 0;

  /**
   * Replaces all switches.
   * @throws InferenceError `invalid_request` for a switch that there is not; nothing is changed then
   */
  set(settings: FaultSettings): void {
    checkNames(settings, SWITCHES, 'a fault switch');
    if (settings.fail) {
      checkNames(settings.fail, FAILURE_FIELDS, 'a field of this fault', 'fail');
      if (!(settings.fail.status in CODES)) {
        throw new InferenceError('invalid_request', `\`fail.status\` is one of ${Object.keys(CODES).join(', ')}.`, {
          param: 'fail.status',
        });
      }
    }
    this.#settings = settings;
    this.#failuresLeft = settings.fail === undefined ? 0 : (settings.fail.count ?? 1);
  }

  /** Turns all switches off. */
  clear(): void {
    this.set({});
  }

  /**
   * Called once per inference request, before it is answered.
   * @throws InferenceError the rehearsed failure
   */
  async beforeAnswer(signal: AbortSignal): Promise<void> {
    const { fail, delayBeforeHeadersMs } = this.#settings;
    const isFailing = fail !== undefined && this.#failuresLeft > 0;
    if (isFailing) this.#failuresLeft -= 1;
    await pause(delayBeforeHeadersMs ?? 0, signal);
    if (!isFailing) return;
    const { code, message } = CODES[fail.status];
    const retries = fail.status === 429 || fail.status === 503;
    throw new InferenceError(code, message, retries ? { retryAfter: fail.retryAfter ?? 1 } : {});
  }

  /** Batches of one event each, where the switches for streams count events; the same object when they are off. */
  separate<Event>(batches: AsyncIterable<readonly Event[]>): AsyncIterable<readonly Event[]> {
    const { delayPerTokenMs, cutStreamAfterEvents } = this.#settings;
    return delayPerTokenMs === undefined && cutStreamAfterEvents === undefined ? batches : separated(batches);
  }

  /** The events with the switches for streams applied; the same object when they are off. */
  disturb<Event>(events: AsyncIterable<Event>, signal: AbortSignal): AsyncIterable<Event> {
    const { delayPerTokenMs, cutStreamAfterEvents } = this.#settings;
    if (delayPerTokenMs === undefined && cutStreamAfterEvents === undefined) return events;
    return disturbed(events, delayPerTokenMs, cutStreamAfterEvents ?? Infinity, signal);
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
