/** What an app may rehearse. Public. @module */

/** What to rehearse. Plain data: it crosses message ports as it is. All switches are off unless named. */
export interface FaultSettings {
  /** The next `count` inference requests (default 1) answer this status. `retryAfter` (seconds, default 1) is for 429 and 503. */
  fail?: { status: 408 | 429 | 500 | 503; count?: number; retryAfter?: number };
  /** Wait before every inference answer begins, in milliseconds. */
  delayBeforeHeadersMs?: number;
  /** Wait before every event of a stream, in milliseconds. */
  delayPerTokenMs?: number;
  /** The connection breaks after so many events of a stream. */
  cutStreamAfterEvents?: number;
}
