/** What runs the forward passes of a decoder, on whatever it computes. @module */
import type { TokenLogits } from '../../language/sampling/token-logits.js';
import type { AdaptedSpan } from './adapter-products.js';
import type { KvSequence } from './kv-pages.js';

/** How the token behind a position is chosen where logits are. */
export interface TokenChoice {
  /** 0: the token with the greatest logit. */
  temperature: number;
  /** 0: all. */
  topK: number;
  topP: number;
  minP: number;
  /** A whole number of 32 bits: the same seed gives the same token at the same position. */
  seed: number;
}

/** Tokens of one sequence. Spans of a pass have `passRows` tokens together. */
export interface Span extends AdaptedSpan {
  /** What comes before; it is longer by the tokens after the pass. */
  kv: KvSequence;
  /** Logits are wanted after so many tokens at the end. */
  keep: number;
  /** Tokens are chosen by these, one for each of `keep`, and no logits are given. Only where `choosesTokens`. */
  choose?: readonly TokenChoice[] | undefined;
  /** Its token is the one that the pass before chose for the span at the same place. Only where `choosesTokens`. */
  isFollowing?: boolean | undefined;
}

/** What is wanted of the rows at the end of a span: logits, or what they are computed from. */
export type ForwardWish = 'logits' | 'states';

export interface Forward {
  /** Brings what a pass looks up elsewhere into memory; undefined: all of it is there, until the next call. */
  bring?(spans: readonly Span[]): Promise<void> | undefined;
  /**
   * Reads the tokens of all spans. Where it is a promise, the sequences are longer at once, and a further pass may begin before
   * it resolves.
   * @returns for each span the logits after its last `keep` tokens, or what was chosen by them
   * @throws InferenceError `insufficient_resources` when keys and values have no room; then nothing was read
   */
  run(spans: readonly Span[], wish?: ForwardWish): TokenLogits[][] | Promise<TokenLogits[][]>;
  /** Rows of a pass. @default PASS_ROWS */
  readonly passRows?: number;
  /** It can choose tokens by logits itself. @default false */
  readonly choosesTokens?: boolean;
  /** A pass may begin before the tokens that the last one chose are known. @default true, where it chooses them */
  readonly readsAhead?: boolean;
  /** Positions that it can read. @default any number */
  readonly contextLength?: number;
}
