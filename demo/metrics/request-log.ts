/** What the last requests took. */
import { signal } from '@preact/signals';
import type { AnswerClock } from '../wire/answer-clock.js';
import { describeEvent } from '../wire/describe-event.js';
import type { WireRequest } from '../wire/wire-log.js';
import { amountOf, type KindName, kindOf } from './kinds.js';

/** Requests that are kept. */
const KEPT = 96;

/** One request, from its start to its last event. */
export interface RequestRecord {
  key: number;
  kind: KindName;
  path: string;
  model: string;
  /** Milliseconds to the first piece; undefined: none came, or the answer was not streamed. */
  first?: number | undefined;
  /** What its kind counts, by the second. Undefined for answers too short to be measured. */
  rate?: number | undefined;
  /** Milliseconds in all; undefined: it runs. */
  total?: number;
}

/** The newest last. */
export const requestLog = signal<RequestRecord[]>([]);

let count = 0;

/** Follows a request; tell it of every event's data, and of the end. */
export function followRequest(
  { path, body }: WireRequest,
  clock: AnswerClock,
): { event(data: string): void; end(): void } {
  const key = count++;
  const about = { key, path, kind: kindOf(path), model: String(body['model']) };
  const put = (record: Partial<RequestRecord>): void => {
    const others = requestLog.peek().filter((other) => other.key !== key);
    requestLog.value = [...others, { ...about, ...record }].slice(-KEPT);
  };
  put({});
  return {
    event(data) {
      if (['text', 'thought', 'call'].includes(describeEvent(data).tone)) clock.tick();
    },
    end() {
      const total = clock.elapsed;
      const amount = amountOf(path, body);
      put({ total, first: clock.wait, rate: amount === undefined ? clock.rate : (1000 * amount) / Math.max(1, total) });
    },
  };
}
