/** Failures that an app can ask for, to test itself: the public type and its schema. @module */
import * as v from 'valibot';
import { count, fields, number, optional, type Same } from './option-schema.js';
import { FAILURE_STATUSES, type FailureStatus } from './simulated-failure.js';

/** Failures and delays to simulate. All are off unless set. */
export interface FaultSettings {
  /**
   * The next `count` inference requests (default 1) answer this status. `retryAfter` (seconds, default 1) is for 429, 503 and
   * 529.
   */
  fail?: { status: FailureStatus; count?: number; retryAfter?: number };
  /** Wait before every inference answer begins, in milliseconds. */
  delayBeforeHeadersMs?: number;
  /** Wait before every event of a stream, in milliseconds. */
  delayPerEventMs?: number;
  /** The connection breaks after so many events of a stream. */
  cutStreamAfterEvents?: number;
}

const milliseconds = number('a number of milliseconds', (value) => value >= 0);

/** @internal */
export const FAULT_SETTINGS = fields(
  {
    fail: optional(
      fields(
        {
          status: v.picklist(FAILURE_STATUSES, `one of ${FAILURE_STATUSES.join(', ')}`),
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
