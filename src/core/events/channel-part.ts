/** A piece of an answer with its meaning. @module */
import type { TokenLogprob } from './token-logprob.js';

/** Blocks never overlap; `gateway/answer/` turns them into GenerationEvents. */
export type ChannelPart =
  /** `logprobs`: of its tokens, where they were asked for; with them, `text` may be empty. Parsers give none. */
  | { type: 'text'; text: string; logprobs?: TokenLogprob[] }
  | { type: 'reasoning'; text: string }
  | { type: 'tool-call-start'; name: string }
  /** A piece of the arguments' JSON text. */
  | { type: 'tool-call-arguments'; text: string }
  | { type: 'tool-call-end' };
