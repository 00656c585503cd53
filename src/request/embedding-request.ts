/** Canonical embedding request and result. @module */

export interface EmbeddingRequest {
  model: string;
  /** Texts or ready token ids, answered in this order. */
  inputs: (string | number[])[];
  /** Shorten to this many numbers (truncate and renormalise); absent: the model's own length. */
  dimensions?: number;
}

export interface EmbeddingResult {
  /** One unit vector per input, in input order. */
  vectors: Float32Array[];
  /** Tokens read, special tokens included. */
  promptTokens: number;
}
