/** How the next token is chosen. @module */

export interface Sampling {
  /** 0 to 2. Absent or below 0.001: greedy, whatever the other fields say (service.md, sampling rule 3). */
  temperature?: number;
  /** 0 to 1; keeps the smallest set of tokens with this much probability (0 keeps one). */
  topP?: number;
  /** At least 1; values below 1 mean unrestricted. */
  topK?: number;
  /** 1 to 2; divides positive and multiplies negative logits of tokens already in prompt or output. */
  repetitionPenalty?: number;
  /** Pins the random numbers. Any integer. */
  seed?: number;
  /** Token id to bias, -100 to 100, added to the logits before everything else. */
  logitBias?: Record<number, number>;
}
