/** Who may ask, how often, and in which manner: the part of the options that the gateway enforces. Public. @module */

/** A key that requests may carry; a revoked one is refused with a message of its own. */
export type ApiKey = string | { key: string; revoked?: boolean };

/** Requests per key. Absent numbers keep their default. */
export interface RateLimits {
  /** @default 600 */
  requestsPerMinute?: number;
  /** @default 100000 */
  requestsPerDay?: number;
}

/**
 * Whose manners the answers have: `service`, the specification to the letter, or `openai`, OpenAI's own service where the
 * two differ.
 */
export type CompatibilityName = 'service' | 'openai';
