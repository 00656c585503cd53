/** Failures, delays and broken streams that an app's tests ask for. @module */
import { type FaultSettings, FAULT_SETTINGS } from '../../../core/models/fault-settings.js';
import { parseOptions } from '../../../core/models/option-schema.js';
import { simulatedFailure } from '../../../core/models/simulated-failure.js';
import { pause } from '../../../core/platform/pause.js';

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
    if (isFailing) throw simulatedFailure(fail.status, fail.retryAfter);
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
    if (sent >= cutAfter) throw new BrokenConnection('The connection was lost.');
    await pause(delayMs ?? 0, signal);
    yield event;
    sent += 1;
  }
}
