/** How likely tokens were. @module */

/** One candidate token with its exact log-probability (after bias and penalties, before temperature and cut-offs). */
export interface TokenCandidate {
  /** The token's text; bytes that are no whole character show as U+FFFD. */
  token: string;
  bytes: number[];
  /** Natural logarithm, at most 0. */
  logprob: number;
}

export interface TokenLogprob extends TokenCandidate {
  /** The most likely tokens at this position, best first, at most `topLogprobs`. */
  top: TokenCandidate[];
}
