/** A piece of an answer with its meaning. @module */
import type { ChannelPart } from './channel-part.js';
import type { TokenLogprob } from './token-logprob.js';

/** What parsers found; text has the log-probabilities of its tokens where they were asked for, and may then be empty. */
export type AnswerPart =
  | Exclude<ChannelPart, { type: 'text' }>
  | { type: 'text'; text: string; logprobs?: TokenLogprob[] };
