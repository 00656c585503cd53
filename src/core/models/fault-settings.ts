/** Failures that an app can ask for, to test itself: the public type and its schema. @module */
import * as v from 'valibot';
import { count, fields, number, optional, type Same } from './option-schema.js';

/** Statuses that a fault can answer. 529 is what Anthropic answers when it is overloaded. */
const STATUSES = [400, 401, 404, 408, 413, 429, 500, 502, 503, 504, 529] as const;

/** Failures and delays to simulate. All are off unless set. */
export interface FaultSettings {
  /**
   * The next `count` inference requests (default 1) answer this status. `retryAfter` (seconds, default 1) is for 429, 503 and
   * 529.
   */
  fail?: { status: FaultStatus; count?: number; retryAfter?: number };
  /** Wait before every inference answer begins, in milliseconds. */
  delayBeforeHeadersMs?: number;
  /** Wait before every event of a stream, in milliseconds. */
  delayPerEventMs?: number;
  /** The connection breaks after so many events of a stream. */
  cutStreamAfterEvents?: number;
}

/** See {@link FaultSettings.fail}. */
export type FaultStatus = (typeof STATUSES)[number];

const milliseconds = number('a number of milliseconds', (value) => value >= 0);

/** @internal */
export const FAULT_SETTINGS = fields(
  {
    fail: optional(
      fields(
        {
          status: v.picklist(STATUSES, `one of ${STATUSES.join(', ')}`),
          count: optional(count),
          retryAfter: optional(number('a number of seconds', (value) => value >= 0)),
        },
        'a field of `fail`',
      ),
    ),
    delayBeforeHeadersMs: optional(milliseconds),
    delayPerEventMs: optional(milliseconds),
    cutStreamAfterEvents: optional(number('a whole number', (value) => Number.isInteger(value) && value >= 0)),
  },
  'a fault',
);
true satisfies Same<v.InferInput<typeof FAULT_SETTINGS>, FaultSettings>;
