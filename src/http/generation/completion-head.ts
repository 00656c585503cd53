/** What all answers of one text or chat completion share. @module */

/** The same in every chunk of a stream. */
export interface CompletionHead {
  /** Unique, e.g. `chatcmpl-…`. */
  id: string;
  /** Unix seconds. */
  created: number;
  /** Catalog id of the model used. */
  model: string;
  systemFingerprint: string;
}

/** The reason as chat and text completions spell it. */
export function finishReason(reason: 'stop' | 'length' | 'tool-calls'): 'stop' | 'length' | 'tool_calls' {
  return reason === 'tool-calls' ? 'tool_calls' : reason;
}
