/** What writes samples as a file, piece by piece. @module */

/** Writes one file with one channel, at `SPEECH_RATE`. */
export interface SpeechEncoder {
  /** The bytes that are certain by now; may be none. @param isLast no samples follow */
  push(samples: Float32Array, isLast: boolean): Promise<Uint8Array<ArrayBuffer>>;
  /** The rest of the file. */
  end(): Promise<Uint8Array<ArrayBuffer>>;
  /** Lets go of codecs and workers, also in the middle of a file. Safe to call twice. */
  close(): Promise<void>;
}
