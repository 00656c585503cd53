/** The interface between the decode loop and grammars: which tokens may come next. @module */

/** The state of one choice inside one grammar. */
export interface TokenConstraint {
  /**
   * Sets every forbidden token's logit to -Infinity, in place. Returns false when nothing is restricted here
   * (free text before a triggered tag).
   */
  maskLogits(logits: Float32Array): boolean;
  /** Tells the state which token was chosen. Throws InferenceError `internal` when the grammar forbids it. */
  accept(token: number): void;
  /**
   * The only text that the grammar allows next, as tokens that are appended without sampling (jump-forward). Empty when there is a choice. Does not change the state; call `accept` for each.
   */
  forcedTokens(): number[];
  /**
   * The only text that the grammar allows next, as the tokenizer would encode it. Other tokens may spell the same text, so
   * these are drafted (speculative decoding), not appended. Does not change the state.
   */
  likelyTokens(): number[];
  /** The grammar is complete and only an end token may follow. */
  isComplete(): boolean;
  /** What masks leave open; absent: nothing. */
  readonly lengths?: OpenLengths | undefined;
  /** Frees wasm memory. */
  dispose(): void;
}

/** Lengths of strings that masks do not keep, because preparing such masks would take minutes: asked token by token. */
export interface OpenLengths {
  /** Whether a token that the mask allows may come next. */
  allows(token: number): boolean;
  /** Forbids all tokens that {@link allows} refuses, in place. May take a second. */
  maskLogits(logits: Float32Array): void;
}

/** A compiled grammar: makes one state per choice. */
export interface CompiledConstraint {
  start(): TokenConstraint;
  dispose(): void;
}
