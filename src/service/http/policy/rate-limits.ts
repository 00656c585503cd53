/** Sliding request counters per caller, per minute and per day. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { RateLimits } from '../../../core/models/inference-options.js';
import type { CallerCounters, CounterChange, CounterStore } from './counter-store.js';

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

/** So many requests before the end of a limit none is admitted by what was known before of other tabs. */
const TIGHT = 64;

/** @param now milliseconds since 1970 */
export function createRateLimiter(limits: RateLimits | undefined, store: CounterStore, now: () => number): RateLimiter {
  const perMinute = limits?.requestsPerMinute ?? 600;
  const perDay = limits?.requestsPerDay ?? 100_000;

  function count(counters: CallerCounters, requests: number): CounterChange<RateLimitResult> {
    const seconds = now() / 1000;
    const minute = usageOf(counters.minute, MINUTE, perMinute - requests, seconds);
    const day = usageOf(counters.day, DAY, perDay - requests, seconds);
    const wait = Math.max(minute.wait, day.wait);
    const counted = wait > 0 ? 0 : requests;
    const next = {
      minute: add(minute.entries, MINUTE, counted, seconds),
      day: add(day.entries, DAY, counted, seconds),
    };
    const headers = {
      'x-ratelimit-limit-requests': String(perMinute),
      'x-ratelimit-limit-requests-day': String(perDay),
      'x-ratelimit-remaining-requests': String(Math.max(0, perMinute - minute.total - counted)),
      'x-ratelimit-remaining-requests-day': String(Math.max(0, perDay - day.total - counted)),
      'x-ratelimit-reset-requests': String(resetTime(next.minute, MINUTE, seconds)),
      'x-ratelimit-reset-requests-day': String(resetTime(next.day, DAY, seconds)),
    };
    const left = Math.min(perMinute - minute.total, perDay - day.total) - requests;
    const added = { minute: add([], MINUTE, counted, seconds), day: add([], DAY, counted, seconds) };
    return { counters: next, added, isTight: left < TIGHT, result: { headers, wait } };
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

interface RateLimitResult {
  headers: Record<string, string>;
  /** Whole seconds until the requests fit; 0: they have been counted. */
  wait: number;
}

interface Usage {
  /** Without what has left the window. */
  entries: Entries;
  total: number;
  /** Whole seconds until at most `allowed` requests are left in the window; 0 when that is so now. */
  wait: number;
}

function usageOf(entries: Entries, { bucketSeconds, buckets }: Window, allowed: number, seconds: number): Usage {
  const now = Math.floor(seconds / bucketSeconds);
  // Buckets of the future (the clock was set back) go too, or they would never leave.
  const current = entries.filter(([bucket]) => bucket > now - buckets && bucket <= now);
  let total = 0;
  for (const [, count] of current) total += count;
  let left = total;
  let wait = 0;
  for (const [bucket, count] of current) {
    if (left <= allowed) break;
    left -= count;
    wait = Math.max(1, Math.ceil((bucket + buckets) * bucketSeconds - seconds));
  }
  // More than the whole limit at once never fits; a full window is as good an answer as any.
  if (left > allowed) wait = buckets * bucketSeconds;
  return { entries: current, total, wait };
}

function add(entries: Entries, { bucketSeconds }: Window, requests: number, seconds: number): Entries {
  if (requests === 0) return entries;
  const now = Math.floor(seconds / bucketSeconds);
  const last = entries.at(-1);
  if (last?.[0] === now) return [...entries.slice(0, -1), [now, last[1] + requests]];
  return [...entries, [now, requests]];
}

/** Unix second at which the next counted request leaves the window; now, when none is counted. */
function resetTime([oldest]: Entries, { bucketSeconds, buckets }: Window, seconds: number): number {
  return oldest === undefined ? Math.ceil(seconds) : (oldest[0] + buckets) * bucketSeconds;
}
