/** Sliding request counters per caller, per minute and per day. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { RateLimits } from '../../../core/models/inference-options.js';
import type { CallerCounters, CounterStore } from './counter-store.js';

/** Takes requests from quotas. */
export interface RateLimiter {
  /**
   * Counts `requests` for the caller and gives the six rate-limit headers.
   * @throws InferenceError `rate_limit_exceeded` with the same headers and `retryAfter`; nothing is counted then
   */
  take: (caller: string, requests: number) => Promise<Record<string, string>>;
}

/** Buckets of equal length; a request leaves the window when its bucket is `buckets` buckets old. */
interface Window {
  bucketSeconds: number;
  buckets: number;
}

const MINUTE: Window = { bucketSeconds: 1, buckets: 60 };
const DAY: Window = { bucketSeconds: 60, buckets: 1440 };

type Entries = CallerCounters['minute'];

/** @param now milliseconds since 1970 */
export function createRateLimiter(limits: RateLimits | undefined, store: CounterStore, now: () => number): RateLimiter {
  const perMinute = limits?.requestsPerMinute ?? 600;
  const perDay = limits?.requestsPerDay ?? 100_000;

  function headers(counters: CallerCounters, seconds: number): Record<string, string> {
    return {
      'x-ratelimit-limit-requests': String(perMinute),
      'x-ratelimit-limit-requests-day': String(perDay),
      'x-ratelimit-remaining-requests': String(Math.max(0, perMinute - total(counters.minute))),
      'x-ratelimit-remaining-requests-day': String(Math.max(0, perDay - total(counters.day))),
      'x-ratelimit-reset-requests': String(resetTime(counters.minute, MINUTE, seconds)),
      'x-ratelimit-reset-requests-day': String(resetTime(counters.day, DAY, seconds)),
    };
  }

  function count(counters: CallerCounters, requests: number): { counters: CallerCounters; result: Outcome } {
    const seconds = now() / 1000;
    const minute = current(counters.minute, MINUTE, seconds);
    const day = current(counters.day, DAY, seconds);
    const wait = Math.max(
      waitFor(minute, MINUTE, perMinute - requests, seconds),
      waitFor(day, DAY, perDay - requests, seconds),
    );
    const next =
      wait > 0
        ? { minute, day }
        : { minute: add(minute, MINUTE, requests, seconds), day: add(day, DAY, requests, seconds) };
    return { counters: next, result: { headers: headers(next, seconds), wait } };
  }

  return {
    async take(caller, requests) {
      const outcome = await store.update(caller, (counters) => count(counters, requests));
      if (outcome.wait === 0) return outcome.headers;
      throw new InferenceError('rate_limit_exceeded', 'The rate limit has been exceeded. Try again later.', {
        retryAfter: outcome.wait,
        headers: outcome.headers,
      });
    },
  };
}

interface Outcome {
  headers: Record<string, string>;
  /** Whole seconds until the requests fit; 0: they have been counted. */
  wait: number;
}

function total(entries: Entries): number {
  return entries.reduce((sum, [, count]) => sum + count, 0);
}

function bucketAt(window: Window, seconds: number): number {
  return Math.floor(seconds / window.bucketSeconds);
}

/** Without what has left the window. Buckets of the future (the clock was set back) go too, or they would never leave. */
function current(entries: Entries, window: Window, seconds: number): Entries {
  const now = bucketAt(window, seconds);
  return entries.filter(([bucket]) => bucket > now - window.buckets && bucket <= now);
}

function add(entries: Entries, window: Window, requests: number, seconds: number): Entries {
  if (requests === 0) return entries;
  const now = bucketAt(window, seconds);
  const last = entries.at(-1);
  if (last?.[0] === now) return [...entries.slice(0, -1), [now, last[1] + requests]];
  return [...entries, [now, requests]];
}

/** Unix second at which the bucket leaves the window. */
function leavesAt(bucket: number, window: Window): number {
  return (bucket + window.buckets) * window.bucketSeconds;
}

/** Unix second at which the next counted request leaves the window; now, when none is counted. */
function resetTime(entries: Entries, window: Window, seconds: number): number {
  const oldest = entries[0];
  return oldest === undefined ? Math.ceil(seconds) : leavesAt(oldest[0], window);
}

/** Whole seconds until at most `allowed` requests are left in the window; 0 when that is so now. */
function waitFor(entries: Entries, window: Window, allowed: number, seconds: number): number {
  let left = total(entries);
  if (left <= allowed) return 0;
  for (const [bucket, count] of entries) {
    left -= count;
    if (left <= allowed) return Math.max(1, Math.ceil(leavesAt(bucket, window) - seconds));
  }
  // More than the whole limit at once: it never fits, a full window is as good an answer as any.
  return window.buckets * window.bucketSeconds;
}
