/** The deadlines of a call. Tests shorten them. @module */

/** Milliseconds, except where said. */
export interface CallTiming {
  /** The callee says `alive` once per beat. */
  beat: number;
  /** Beats without any message after which the callee counts as gone; Infinity: only its lifeline says so. */
  silentBeats: number;
  /** How long a callee with something to send waits for a caller that takes nothing. */
  stall: number;
  /** How long a cancelled call may take to end. */
  cancel: number;
}

/** Between the page or Service Worker and the gateway. */
export const REQUEST_TIMING: CallTiming = { beat: 5_000, silentBeats: 6, stall: 60_000, cancel: 2_000 };

/**
 * Between the gateway and a model worker. An engine on WASM may compute for a minute without looking at its messages,
 * so silence proves nothing here; the scheduler's deadline and the lifeline do.
 */
export const MODEL_TIMING: CallTiming = { beat: 5_000, silentBeats: Infinity, stall: Infinity, cancel: 30_000 };

/** How long to look for an engine before answering that there is none. */
export const CONNECT_DEADLINE = 10_000;
