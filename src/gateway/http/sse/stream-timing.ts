/** How long a streamed answer may be silent. @module */

/** Waits of a stream, in milliseconds. */
export interface StreamTiming {
  /** Longest wait for the first event before the stream is opened without it. */
  startDelayMs: number;
  /** Longest silence of an open stream before a keep-alive is sent. */
  keepAliveMs: number;
}
