/** Who may ask, and how often: the part of the options that the gateway enforces. Public. @module */

/** A key that requests may carry; a revoked one is refused with a message of its own. */
export type ApiKey = string | { key: string; revoked?: boolean };

/** Requests per key. Absent numbers keep their default. */
export interface RateLimits {
  /** @default 600 */
  requestsPerMinute?: number;
  /** @default 100000 */
  requestsPerDay?: number;
}
