/** The deadlines of a call, and of all who shall answer one. Tests shorten them. @module */
import type { PollLimit } from '../../core/platform/settled-within.js';

/** Milliseconds, except where said. */
export interface CallTiming {
  /** The callee says `alive` once per beat. */
  beat: number;
  /** Beats without any message after which the callee counts as stuck; Infinity: only its lifeline says so. */
  silentBeats: number;
  /** How long a callee with something to send waits for a caller that takes nothing. */
  stall: number;
  /** How long a canceled call may take to end. */
  cancel: number;
}

/**
 * Between the page or Service Worker and the gateway, which never computes for long: whatever does runs in a model
 * worker.
 */
export const REQUEST_TIMING: CallTiming = { beat: 5_000, silentBeats: 3, stall: 60_000, cancel: 2_000 };

/**
 * Between the Service Worker and a page whose handler answers. Timers of a hidden page run once a minute, and a handler may
 * compute for long.
 */
export const ROUTE_TIMING: CallTiming = { ...REQUEST_TIMING, silentBeats: Infinity, stall: Infinity };

/** What is common to all calls between the gateway and a model worker. */
export const MODEL_TIMING: CallTiming = { beat: 5_000, silentBeats: Infinity, stall: Infinity, cancel: 30_000 };

/** Seconds. */
const MODEL_SILENCE = { least: 15, most: 300 };

/**
 * Between the gateway and a model worker that answers. An engine on WASM reads no messages while it computes, which may
 * take a minute on a slow device. Until its speed is known, it counts as stuck only after a long silence: as long as the
 * app waits for a first token, within bounds. (What is learned then: `service/learned-timing.ts`.) Silence counts only while
 * a call is open; a canceled call ends sooner, by the scheduler's grace.
 * @param requestTimeout seconds
 */
export function answeringModelTiming(requestTimeout: number): CallTiming {
  const seconds = Math.min(Math.max(requestTimeout, MODEL_SILENCE.least), MODEL_SILENCE.most);
  return { ...MODEL_TIMING, silentBeats: Math.ceil((seconds * 1_000) / MODEL_TIMING.beat) };
}

/** How long to look for an engine before answering that there is none. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** How long a port that has served a call before may be silent when it is used again, until another one is asked for. */
export const USED_PORT_TIMEOUT_MS = 2_000;

/**
 * Until a gateway that does not accept a port is replaced by its page, and a hosting tab that does not answer by another tab. Less than
 * {@link CONNECT_TIMEOUT_MS}: the next one answers.
 */
export const HOST_POLL_LIMIT: PollLimit = { intervalMs: 1_250, attempts: 4 };
