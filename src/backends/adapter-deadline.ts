/** How long a GPU may take to be found. @module */

/** Milliseconds. A browser whose GPU process restarts or hangs owes an answer for long, and then there is no GPU. */
export const ADAPTER_DEADLINE = 10_000;
